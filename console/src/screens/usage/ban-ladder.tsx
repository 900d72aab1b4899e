import type { Key, Usage, UsageBan } from '@petstore/client';
import { pause } from '../../api/limits.ts';
import type { QueryResult } from '../../api/query.ts';
import { may } from '../../api/session.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { duration } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { useNow } from '../../ui/use-now.ts';
import { usageWords as words } from '../../words/usage.ts';
import { keyName } from './key-name.tsx';

interface BanLadderProps {
  usage: QueryResult<Usage>;
  keys: readonly Key[] | undefined;
}

/** How long each ban of a key lasts, and which keys are banned now. */
export function BanLadder({ usage, keys }: BanLadderProps) {
  const bans = usage.data?.bans ?? [];
  const own = pause.value?.kind === 'ban' ? pause.value : undefined;
  const now = useNow(1_000, bans.length > 0 || own !== undefined);
  const inForce = bans.filter(({ until }) => Date.parse(until) > now);
  const last = words.ladderSteps.length;
  const reached = new Set(inForce.map(({ strikes }) => Math.min(strikes, last)));
  return (
    <Card title={words.ladder} subtitle={words.ladderNote}>
      <ol class="ladder" aria-label={words.ladderLabel}>
        {words.ladderSteps.map((wait, index) => (
          <li key={wait} class={reached.has(index + 1) ? 'reached' : undefined}>
            <span class="small">{words.ladderStep(index + 1, index + 1 === last)}</span>
            <strong>{wait}</strong>
          </li>
        ))}
      </ol>
      <Loaded query={usage} rows={2}>
        {() =>
          own ? (
            // The service says nothing to a session that is banned.
            <p class="row text-bad">
              <Icon name="ban" /> {words.ownBan(duration(own.until - now))}
            </p>
          ) : inForce.length === 0 ? (
            <p class="row muted">
              <Icon name="circle-check" /> {words.noBans}
            </p>
          ) : (
            <ul class="needs">
              {inForce.map((ban) => (
                <BanRow key={ban.keyId} ban={ban} name={keyName(ban.keyId, keys)} now={now} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <p class="hint">{words.ladderHint}</p>
    </Card>
  );
}

function BanRow({ ban, name, now }: { ban: UsageBan; name: string; now: number }) {
  return (
    <li>
      <span class="mark bad">
        <Icon name="ban" />
      </span>
      <span>
        <strong>{words.banned(name)}</strong>
        <span class="second small muted">{words.bannedNote(ban.strikes)}</span>
      </span>
      <span class="row">
        <strong class="number text-bad">{words.left(duration(Date.parse(ban.until) - now))}</strong>
        {may('operate') && (
          <LinkButton href={`${BASE}/bans`} size="small">
            {words.lift}
          </LinkButton>
        )}
      </span>
    </li>
  );
}
