import type { Key, Usage } from '@petstore/client';
import type { QueryResult } from '../../api/query.ts';
import { session } from '../../api/session.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { Card } from '../../ui/card.tsx';
import { Code } from '../../ui/code.tsx';
import { curlText } from '../../ui/curl.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icons/icon.tsx';
import { Table } from '../../ui/table.tsx';
import { usageWords as words } from '../../words/usage.ts';
import { KeyName } from './key-name.tsx';
import { totalColumns } from './total-columns.tsx';
import { entriesOf, totalsBy } from './totals.ts';

interface ByKeyProps {
  usage: QueryResult<Usage>;
  keys: readonly Key[] | undefined;
  /** Whether the names of the keys are still on their way: with them the columns would move. */
  isHeld: boolean;
  period: 'today' | 'month';
  now: number;
}

export function ByKey({ usage, keys, isHeld, period, now }: ByKeyProps) {
  return (
    <Card
      title={words.byKey[period]}
      isFlush
      aside={
        <a class="more-link" href={`${BASE}/keys`}>
          {words.allKeys} <Icon name="chevron-right" size={14} />
        </a>
      }
    >
      <Loaded query={usage} rows={5} isHeld={isHeld}>
        {(data) => {
          const rows = totalsBy(entriesOf(data, period, now), 'keyId');
          if (rows.length === 0) return <NoRequests />;
          const outdated = new Set(data.deprecated.map(({ operationId }) => operationId));
          return (
            <Table
              label={words.byKey[period]}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: words.columns.key, cell: ({ id }) => <KeyName id={id} keys={keys} /> },
                {
                  title: words.columns.mostly,
                  isWide: true,
                  cell: ({ mostly }) => (
                    <span class="muted">
                      {mostly
                        .map((id) => (outdated.has(id) ? words.deprecatedMark(id) : id))
                        .join(', ')}
                    </span>
                  ),
                },
                ...(period === 'today'
                  ? totalColumns(session.value!.limits.perDay, words.columns.shareOfDay)
                  : totalColumns(
                      rows.reduce((sum, { admitted }) => sum + admitted, 0),
                      words.columns.shareOfAll,
                    )),
              ]}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}

export function NoRequests() {
  return (
    <Empty icon="gauge" title={words.noRequests}>
      <p>{words.noRequestsText}</p>
      <Code>{curlText({ method: 'GET', path: '/pets' })}</Code>
    </Empty>
  );
}
