import { useId } from 'preact/hooks';
import { type Scope, session } from '../../api/session.ts';
import { FieldError } from '../../ui/fields/field.tsx';
import { keyWords as words } from '../../words/keys.ts';

interface ScopeChecksProps {
  chosen: readonly Scope[];
  onChange: (scopes: readonly Scope[]) => void;
  error: string | undefined;
}

/** The scopes that this session has: the service grants no others. */
export function ScopeChecks({ chosen, onChange, error }: ScopeChecksProps) {
  const noteId = useId();
  const own = session.value!.scopes;
  return (
    <fieldset class="checks" aria-describedby={noteId}>
      <legend>{words.scopesLegend}</legend>
      {own.map((scope) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(own.filter((each) => (each === scope ? checked : chosen.includes(each))))
            }
          />
          <span>
            <span class="strong">{scope}</span>
            <span class="second small muted">{words.scopes[scope]}</span>
          </span>
        </label>
      ))}
      {error === undefined ? (
        <p id={noteId} class="hint">
          {words.scopesHint}
        </p>
      ) : (
        <FieldError id={noteId}>{error}</FieldError>
      )}
    </fieldset>
  );
}
