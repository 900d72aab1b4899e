import type { Order } from '@petstore/client';
import { useQuery } from '../../../api/query.ts';
import { useKeyNames } from '../../../api/shared-queries.ts';
import { store } from '../../../api/store.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { BASE } from '../../../router.ts';
import { Card } from '../../../ui/card.tsx';
import { dateTime, past } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icons/icon.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { controlWords } from '../../../words/controls.ts';
import { orderHistoryWords as words } from '../../../words/orders.ts';
import { readNewest } from '../../events/feed.ts';
import { beforeAfterText, whoOf } from '../../movement.tsx';
import { type Step, stepsOf } from './history.ts';

/** How many rows of the ledger are looked at. */
const ROWS = 100;

const looks = {
  placed: ['plus', ''],
  changed: ['pencil', 'muted'],
  fulfilled: ['check', 'text-good'],
  cancelled: ['x', 'muted'],
  expired: ['hourglass', 'muted'],
} as const;

/** Who did what with the order, newest first. */
export function OrderHistory({ order }: { order: Order }) {
  const { petId, createdAt, endedAt } = order;
  const to = endedAt && new Date(Date.parse(endedAt) + 1).toISOString();
  const query = { petId, from: createdAt, to, sort: 'id', limit: ROWS } as const;
  const ledger = useQuery({
    key: ['listLedger', query],
    read: (signal) => store.inventory.ledger(query, { signal }),
    keepsPrevious: true,
  });
  // An order that has changed has one more event. Reading the feed costs nothing of the plan.
  const feed = useQuery({
    key: ['listEvents', order],
    read: (signal) => readNewest(undefined, { type: 'order.updated', signal }),
    keepsPrevious: true,
  });
  const steps = stepsOf(order, ledger.data?.items ?? [], feed.data?.events ?? []);
  const names = useKeyNames(steps.flatMap(({ movement, update }) => movement ?? update ?? []));
  const now = useNow();
  return (
    <Card
      title={words.title}
      aside={
        <a class="more-link" href={`${BASE}/ledger?petId=${petId}`}>
          {words.wholeLedger} <Icon name="chevron-right" size={16} />
        </a>
      }
    >
      <Loaded query={ledger} rows={2} isHeld={names.isPending || (feed.isFetching && !feed.data)}>
        {() => (
          <ol class="rows">
            {steps.map((step, place) => (
              <li key={`${step.kind} ${step.at}`}>
                <span>
                  <What step={step} />
                  <span class="second muted small" title={dateTime(step.at)}>
                    {controlWords.dotted(whoIn(step, names), past(step.at, now))}
                  </span>
                </span>
                {/* An order that was handed over at once has one row for both steps. */}
                {step.movement && step.movement !== steps[place - 1]?.movement && (
                  <span class="push number">{beforeAfterText(step.movement)}</span>
                )}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Card>
  );
}

/** The kind of the step, and which fields it changed. */
function What({ step: { kind, update } }: { step: Step }) {
  const [icon, tone] = looks[kind];
  const fields = Object.keys(update?.before ?? {}).map((name) => words.fields[name] ?? name);
  return (
    <span class={`cause ${tone}`}>
      <Icon name={icon} size={16} />
      {words.steps[kind]}
      {fields.length > 0 && `: ${fields.join(', ')}`}
    </span>
  );
}

/** Who did it, if a row or an event was found. */
function whoIn({ movement, update }: Step, names: ReadonlyMap<string, string>): string | undefined {
  const found = movement ?? update;
  return found && whoOf(found, names);
}
