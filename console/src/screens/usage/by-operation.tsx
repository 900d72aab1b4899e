import type { Usage } from '@petstore/client';
import type { QueryResult } from '../../api/query.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Card } from '../../ui/card.tsx';
import { Table } from '../../ui/table.tsx';
import { usageWords as words } from '../../words/usage.ts';
import { NoRequests } from './by-key.tsx';
import { totalColumns } from './total-columns.tsx';
import { entriesOf, totalsBy } from './totals.ts';

interface ByOperationProps {
  usage: QueryResult<Usage>;
  period: 'today' | 'month';
  now: number;
}

export function ByOperation({ usage, period, now }: ByOperationProps) {
  return (
    <Card title={words.byOperation[period]} isFlush>
      <Loaded query={usage} rows={5}>
        {(data) => {
          const rows = totalsBy(entriesOf(data, period, now), 'operationId');
          if (rows.length === 0) return <NoRequests />;
          const all = rows.reduce((sum, { admitted }) => sum + admitted, 0);
          return (
            <Table
              label={words.byOperation[period]}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: words.columns.operation,
                  cell: ({ id }) => (
                    <span class="strong">{id === 'unknown' ? words.unknownOperation : id}</span>
                  ),
                },
                ...totalColumns(all, words.columns.shareOfAll),
              ]}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}
