import type { NewWebhook, Webhook } from '@petstore/client';
import type { Form } from '../../parts/form/use-form.ts';
import { Choice, FieldError, TextField } from '../../ui/fields/field.tsx';
import { webhookWords as words } from '../../words/webhooks.ts';

type EventTypes = NonNullable<NewWebhook['types']>;
const KINDS = Object.keys(words.kinds) as (keyof typeof words.kinds)[];

/** What the form holds, as it is typed. */
export interface WebhookDraft {
  url: string;
  description: string;
  isAll: boolean;
  types: EventTypes;
  batchMax: string;
}

export function draftOf(webhook?: Webhook): WebhookDraft {
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
export function errorsOf({ url, isAll, types, batchMax }: WebhookDraft) {
  const most = /^\d{1,3}$/.test(batchMax) ? Number(batchMax) : 0;
  return {
    url: URL.canParse(url.trim()) ? undefined : words.needsUrl,
    types: isAll || types.length > 0 ? undefined : words.needsTypes,
    batchMax: most >= 1 && most <= 100 ? undefined : words.needsBatch,
  };
}

/** The fields as the service takes them. An empty description is cleared. */
export function bodyOf({ url, isAll, types, batchMax, description }: WebhookDraft) {
  return {
    url: url.trim(),
    types: isAll ? (['*'] as const) : types,
    batchMax: Number(batchMax),
    description: description.trim() || null,
  };
}

type WebhookFieldsProps = Pick<Form<WebhookDraft, unknown>, 'draft' | 'errors' | 'set'>;

export function WebhookFields({ draft, errors, set }: WebhookFieldsProps) {
  return (
    <>
      <TextField
        label={words.url}
        type="url"
        hint={words.urlHint}
        placeholder="https://shop.example/hooks"
        value={draft.url}
        onInput={(url) => set({ url })}
        error={errors.url}
        isFocused
      />
      <div class="stack tight">
        <p class="strong">{words.types}</p>
        <Choice
          label={words.types}
          value={draft.isAll ? 'all' : 'some'}
          options={[
            ['all', words.allTypes],
            ['some', words.someTypes],
          ]}
          onChange={(value) => set({ isAll: value === 'all' })}
        />
        {!draft.isAll && <KindChecks chosen={draft.types} onChange={(types) => set({ types })} />}
        {errors.types !== undefined && <FieldError>{errors.types}</FieldError>}
      </div>
      <TextField
        label={words.description}
        isOptional
        value={draft.description}
        onInput={(description) => set({ description })}
        maxLength={200}
        error={errors.description}
      />
      <TextField
        label={words.batchMax}
        inputMode="numeric"
        hint={words.batchHint}
        value={draft.batchMax}
        onInput={(batchMax) => set({ batchMax: batchMax.trim() })}
        error={errors.batchMax}
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
