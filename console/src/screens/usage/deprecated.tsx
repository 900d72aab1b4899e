import type { Key, Usage } from '@petstore/client';
import type { QueryResult } from '../../api/query.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Card } from '../../ui/card.tsx';
import { date, past } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { usageWords as words } from '../../words/usage.ts';
import { keyName } from './key-name.tsx';

interface DeprecatedProps {
  usage: QueryResult<Usage>;
  keys: readonly Key[] | undefined;
  now: number;
}

/** Which keys call operations that will be switched off, and what to call instead. */
export function Deprecated({ usage, keys, now }: DeprecatedProps) {
  return (
    <Card title={words.deprecated} subtitle={words.deprecatedNote}>
      <Loaded query={usage} rows={3}>
        {({ deprecated }) =>
          deprecated.length === 0 ? (
            <p class="row muted">
              <Icon name="circle-check" /> {words.noDeprecated}
            </p>
          ) : (
            <ul class="needs two">
              {deprecated.map(({ operationId, keyId, calls, lastCalledAt, sunset, successor }) => (
                <li key={`${operationId} ${keyId}`}>
                  <span class="mark">
                    <Icon name="hourglass" />
                  </span>
                  <span>
                    <strong>{operationId}</strong>{' '}
                    <span class="muted">
                      {words.deprecatedBy(keyName(keyId, keys), calls, past(lastCalledAt, now))}
                    </span>
                    <span class="second small muted">
                      {words.sunset(date(sunset))} <code class="tag mono">{successor}</code>{' '}
                      {words.instead}
                    </span>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
