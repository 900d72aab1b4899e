import type { FieldErrors } from '../../parts/form/use-form.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { orderFieldWords as words } from '../../words/orders.ts';

/** What an order says beside its pets and their units. */
export interface OrderTexts {
  customer: string;
  reference: string;
  note: string;
  /** Local times, as the fields hold them. */
  ships: string;
  holds: string;
}

const TIMES = ['ships', 'holds'] as const;
const TEXT_LENGTH_MAX = 100;
const NOTE_LENGTH_MAX = 500;

interface OrderFieldsProps {
  draft: OrderTexts;
  errors: FieldErrors<OrderTexts>;
  onChange: (changes: Partial<OrderTexts>) => void;
  /** Whether it is handed over at once, and so holds nothing. */
  isComplete?: boolean;
  /** What the order gets as its reference if the field is left empty. */
  ownReference?: string | undefined;
}

/** The fields of a new order and of one that is changed. */
export function OrderFields(props: OrderFieldsProps) {
  const { draft, errors, onChange, isComplete = false, ownReference } = props;
  const text = (name: 'customer' | 'reference' | 'note', maxLength: number, own?: string) => (
    <TextField
      label={words[name]}
      isOptional
      value={draft[name]}
      onInput={(text) => onChange({ [name]: text })}
      maxLength={maxLength}
      placeholder={own}
      hint={own && words.ownReferenceHint(own)}
      error={errors[name]}
    />
  );
  return (
    <div class="two-columns">
      {text('customer', TEXT_LENGTH_MAX)}
      {text('reference', TEXT_LENGTH_MAX, ownReference)}
      {(isComplete ? TIMES.slice(0, 1) : TIMES).map((name) => (
        <TextField
          key={name}
          label={words[name]}
          type="datetime-local"
          isOptional
          hint={words[`${name}Hint`]}
          value={draft[name]}
          onInput={(time) => onChange({ [name]: time })}
          error={errors[name]}
        />
      ))}
      <div class={isComplete ? undefined : 'both-columns'}>{text('note', NOTE_LENGTH_MAX)}</div>
    </div>
  );
}
