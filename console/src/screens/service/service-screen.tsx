import type { ServiceNode } from '@petstore/client';
import { store } from '../../api/store.ts';
import { RecordList } from '../../parts/record-list.tsx';
import { useList } from '../../parts/use-list.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { past } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { type Column, PastTime } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { serviceWords as words } from '../../words/account/service.ts';
import { controlWords } from '../../words/controls.ts';
import { navigationWords } from '../../words/shell/navigation.ts';

/** The nodes and how they are, for the operator. */
export function ServiceScreen() {
  const now = useNow();
  const list = useList('adminListNodes', {}, (...args) => store.admin.listNodes(...args));
  return (
    <>
      <PageHead title={navigationWords.titles.service} lead={words.lead}>
        <Button icon="refresh-cw" onClick={list.refetch}>
          {controlWords.refresh}
        </Button>
      </PageHead>
      <RecordList
        label={words.listLabel}
        list={list}
        lines={4}
        columns={columnsOf(now)}
        keyOf={({ id }) => id}
        empty={() => (
          <Empty icon="server" title={words.emptyTitle}>
            <p>{words.emptyText}</p>
          </Empty>
        )}
        onPage={words.onPage}
      />
    </>
  );
}

const tones: Record<ServiceNode['state'], Tone> = {
  ready: 'good',
  unavailable: 'bad',
  stopping: 'warn',
  lost: 'bad',
};

/** A difference below a tenth of a second is none. With SQLite there is no other clock to compare with. */
function skewText({ clockSkewSeconds }: ServiceNode): string {
  if (clockSkewSeconds === undefined) return words.unknownSkew;
  const rounded = Math.round(clockSkewSeconds * 10) / 10;
  return rounded === 0 ? words.noSkew : words.skew(rounded);
}

function columnsOf(now: number): Column<ServiceNode>[] {
  return [
    {
      title: words.columns.node,
      cell: (node) => (
        <>
          <span class="mono small">{node.id}</span>
          <span class="second">{words.version(node.version)}</span>
          <span class="second only-narrow">
            {controlWords.dotted(
              words.rateShort(words.rate(node.requestsPerSecond)),
              words.memory(node.memoryBytes),
              words.started(past(node.startedAt, now)),
              words.seen(past(node.seenAt, now)),
            )}
          </span>
        </>
      ),
    },
    {
      title: words.columns.state,
      cell: ({ state }) => <Badge tone={tones[state]}>{words.states[state]}</Badge>,
    },
    {
      title: words.columns.limiter,
      isWide: true,
      cell: ({ limiter }) => (
        <span title={words.limiterNotes[limiter]}>{words.limiters[limiter]}</span>
      ),
    },
    { title: words.columns.skew, isWide: true, align: 'end', cell: skewText },
    {
      title: words.columns.rate,
      isWide: true,
      align: 'end',
      cell: ({ requestsPerSecond }) => words.rate(requestsPerSecond),
    },
    {
      title: words.columns.memory,
      isWide: true,
      align: 'end',
      cell: ({ memoryBytes }) => words.memory(memoryBytes),
    },
    {
      title: words.columns.started,
      isWide: true,
      align: 'end',
      cell: ({ startedAt }) => <PastTime at={startedAt} now={now} />,
    },
    {
      title: words.columns.seen,
      isWide: true,
      align: 'end',
      cell: ({ seenAt }) => <PastTime at={seenAt} now={now} />,
    },
  ];
}
