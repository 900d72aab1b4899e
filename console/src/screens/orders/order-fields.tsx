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

const TEXTS = ['customer', 'reference', 'note'] as const;
const TIMES = ['ships', 'holds'] as const;
const TEXT_LENGTH_MAX = 100;
const NOTE_LENGTH_MAX = 500;

export interface OrderFieldsProps {
  draft: OrderTexts;
  errors: FieldErrors<OrderTexts>;
  onChange: (changes: Partial<OrderTexts>) => void;
  /** Whether it is handed over at once, and so holds nothing. */
  isComplete?: boolean;
}

/** The fields of a new order and of one that is changed. */
export function OrderFields({ draft, errors, onChange, isComplete = false }: OrderFieldsProps) {
  return (
    <div class="two-columns">
      {TEXTS.map((name) => (
        <TextField
          key={name}
          label={words[name]}
          isOptional
          value={draft[name]}
          onInput={(text) => onChange({ [name]: text })}
          maxLength={name === 'note' ? NOTE_LENGTH_MAX : TEXT_LENGTH_MAX}
          error={errors[name]}
        />
      ))}
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
    </div>
  );
}
