import { setQuery } from '../../router.ts';
import { Field } from '../../ui/fields/field.tsx';
import { eventWords as words } from '../../words/events.ts';
import { webhookWords } from '../../words/webhooks.ts';
import type { EventType } from './feed.ts';

const kinds = Object.entries(webhookWords.kinds);
const types = Object.keys(words.types);

export function isEventType(text: string | undefined): text is EventType {
  return text !== undefined && (text in webhookWords.kinds || types.includes(text));
}

/** One kind, or one type of it. */
export function TypeFilter({ type }: { type: EventType | undefined }) {
  return (
    <div class="filters">
      <Field label={words.type}>
        {(control) => (
          <select
            {...control}
            class="input"
            data-filter
            value={type ?? ''}
            onChange={({ currentTarget: { value } }) =>
              setQuery({ type: value, after: undefined, event: undefined })
            }
          >
            <option value="">{words.allTypes}</option>
            {kinds.map(([pattern, name]) => (
              <optgroup key={pattern} label={name}>
                <option value={pattern}>{words.kind(name)}</option>
                {types
                  .filter((each) => each.startsWith(pattern.slice(0, -1)))
                  .map((each) => (
                    <option key={each} value={each}>
                      {words.types[each]}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
