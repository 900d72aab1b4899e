import type { Key, Page, Usage } from '@petstore/client';
import type { ComponentChildren } from 'preact';
import { errorText, requestIdOf } from '../../api/errors.ts';
import { isWaiting, useQuery } from '../../api/query.ts';
import { keysQuery, lowStockQuery, openOrdersQuery } from '../../api/shared-queries.ts';
import { Spark } from '../../charts/spark.tsx';
import { requestPath } from '../../parts/request-link.tsx';
import { BASE } from '../../router.ts';
import { countText } from '../../shell/nav-count.tsx';
import { useMinutes, useUsage } from '../../shell/usage.ts';
import { number } from '../../ui/format.ts';
import { controlWords } from '../../words/controls.ts';
import { overviewWords as words } from '../../words/overview.ts';
import { admittedToday, placedPerDay, today } from './history.ts';
import { openOrdersNote } from './open-orders.ts';

export function Tiles() {
  const low = useQuery(lowStockQuery());
  const keys = useQuery(keysQuery);
  const open = useQuery(openOrdersQuery);
  const minutes = useMinutes();
  const usage = useUsage();
  const refused = minutes.data?.reduce((sum, each) => sum + each.refused, 0);
  return (
    <div class="tiles">
      <Tile
        title={words.lowStock}
        href={`${BASE}/inventory?low=1`}
        value={low.data && countText(low.data)}
        tone={low.data?.items.length ? 'text-warn' : ''}
        note={words.lowStockNote}
      />
      <Tile
        title={words.openOrders}
        href={failedPath(open.error) ?? `${BASE}/orders`}
        value={open.data && countText(open.data)}
        note={failureText(open.error) ?? (open.data && openOrdersNote(open.data, Date.now()))}
      >
        {usage.data && (
          <Spark tone="good" values={placedPerDay(usage.data, 14).map(({ count }) => count)} />
        )}
      </Tile>
      <Tile
        title={words.requestsToday}
        href={`${BASE}/usage`}
        value={usage.data && number(admittedToday(usage.data))}
        note={words.requestsNote}
      >
        {minutes.data && (
          <Spark tone="good" values={minutes.data.map(({ admitted }) => admitted)} />
        )}
      </Tile>
      <Tile
        title={words.refused}
        href={`${BASE}/usage`}
        value={refused === undefined ? undefined : number(refused)}
        tone={refused ? 'text-bad' : ''}
        note={refused === undefined ? undefined : refusedNote(refused, usage.data, keys.data)}
      >
        {minutes.data && refused !== 0 && (
          <Spark tone="bad" values={minutes.data.map((each) => each.refused)} />
        )}
      </Tile>
    </div>
  );
}

/** Why it could not be read. No other part of the screen shows the open orders, so none says it. */
function failureText(err: unknown): string | undefined {
  if (err === null || isWaiting(err)) return undefined;
  const id = requestIdOf(err);
  return [errorText(err), id && controlWords.requestId(id)].filter(Boolean).join(' ');
}

/** The request that failed, whose id the tile shows. */
function failedPath(err: unknown): string | undefined {
  const id = isWaiting(err) ? undefined : requestIdOf(err);
  return id && requestPath(id);
}

/** The key with most of the refusals of today. */
function refusedNote(
  refused: number,
  usage: Usage | undefined,
  keys: Page<Key> | undefined,
): string {
  if (refused === 0) return words.refusedNone;
  const byKey = new Map<string, number>();
  for (const entry of usage?.history ?? []) {
    if (entry.date === today() && entry.refused > 0) {
      byKey.set(entry.keyId, (byKey.get(entry.keyId) ?? 0) + entry.refused);
    }
  }
  const [most] = [...byKey].sort(([, a], [, b]) => b - a);
  const name = keys?.items.find(({ id }) => id === most?.[0])?.name;
  return name === undefined ? words.refusedSome : words.refusedBy(name);
}

interface TileProps {
  title: string;
  href: string;
  value: string | undefined;
  note: string | undefined;
  tone?: string;
  children?: ComponentChildren;
}

function Tile({ title, href, value, note, tone = '', children }: TileProps) {
  return (
    <a class="card tile" href={href}>
      <h2>{title}</h2>
      <div class="figure">
        <span class={`number ${tone}`}>{value ?? '–'}</span>
        {children}
      </div>
      <p>{note}</p>
    </a>
  );
}
