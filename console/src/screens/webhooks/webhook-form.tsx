import type { NewWebhook, Webhook } from '@petstore/client';
import { fieldErrors } from '../../api/errors.ts';
import { Choice, FieldError, TextField } from '../../ui/fields/field.tsx';
import { webhookWords as words } from '../../words/webhooks.ts';

type EventTypes = NonNullable<NewWebhook['types']>;
const KINDS = Object.keys(words.kinds) as (keyof typeof words.kinds)[];

/** What the form holds, as it is typed. */
export interface WebhookInput {
  url: string;
  description: string;
  isAll: boolean;
  types: EventTypes;
  batchMax: string;
}

export function inputOf(webhook?: Webhook): WebhookInput {
  const types = webhook?.types ?? ['*'];
  return {
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    isAll: types.includes('*'),
    types: types.filter((type) => type !== '*'),
    batchMax: String(webhook?.batchMax ?? 1),
  };
}

/** What is wrong with the input, by field. */
export function faultsOf({ url, isAll, types, batchMax }: WebhookInput) {
  const most = /^\d{1,3}$/.test(batchMax) ? Number(batchMax) : 0;
  return {
    url: URL.canParse(url.trim()) ? undefined : words.needsUrl,
    types: isAll || types.length > 0 ? undefined : words.needsTypes,
    batchMax: most >= 1 && most <= 100 ? undefined : words.needsBatch,
  };
}

/** The fields as the service takes them. */
export function bodyOf({ url, isAll, types, batchMax }: WebhookInput) {
  return {
    url: url.trim(),
    types: isAll ? (['*'] as const) : types,
    batchMax: Number(batchMax),
  };
}

export interface WebhookFieldsProps {
  input: WebhookInput;
  onChange: (input: WebhookInput) => void;
  /** Whether to say what is wrong. */
  isChecked: boolean;
  /** What the service said to the last attempt. */
  refusal: unknown;
}

export function WebhookFields({ input, onChange, isChecked, refusal }: WebhookFieldsProps) {
  const faults = isChecked ? faultsOf(input) : undefined;
  const refused = fieldErrors(refusal);
  return (
    <>
      <TextField
        label={words.url}
        type="url"
        hint={words.urlHint}
        placeholder="https://shop.example/hooks"
        value={input.url}
        onInput={(url) => onChange({ ...input, url })}
        error={faults?.url ?? refused.url}
        isFocused
      />
      <div class="stack tight">
        <p class="strong">{words.types}</p>
        <Choice
          label={words.types}
          value={input.isAll ? 'all' : 'some'}
          options={[
            ['all', words.allTypes],
            ['some', words.someTypes],
          ]}
          onChange={(value) => onChange({ ...input, isAll: value === 'all' })}
        />
        {!input.isAll && (
          <KindChecks chosen={input.types} onChange={(types) => onChange({ ...input, types })} />
        )}
        {faults?.types !== undefined && <FieldError>{faults.types}</FieldError>}
      </div>
      <TextField
        label={words.description}
        isOptional
        value={input.description}
        onInput={(description) => onChange({ ...input, description })}
        maxLength={200}
        error={refused.description}
      />
      <TextField
        label={words.batchMax}
        inputMode="numeric"
        hint={words.batchHint}
        value={input.batchMax}
        onInput={(batchMax) => onChange({ ...input, batchMax: batchMax.trim() })}
        error={faults?.batchMax ?? refused.batchMax}
      />
    </>
  );
}

/** One box for each kind of event. Single types that were chosen by other means are kept. */
function KindChecks(props: { chosen: EventTypes; onChange: (types: EventTypes) => void }) {
  const { chosen, onChange } = props;
  const others = chosen.filter((type) => !KINDS.some((kind) => kind === type));
  return (
    <fieldset class="checks kinds">
      <legend class="visually-hidden">{words.types}</legend>
      {KINDS.map((kind) => (
        <label key={kind} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(kind)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, kind] : chosen.filter((type) => type !== kind))
            }
          />
          {words.kinds[kind]}
        </label>
      ))}
      {others.length > 0 && <p class="hint">{words.otherTypes(others.join(', '))}</p>}
    </fieldset>
  );
}
