import type { Usage } from '@petstore/client';
import type { QueryResult } from '../../api/query.ts';
import { session } from '../../api/session.ts';
import { MinuteBars } from '../../charts/minute-bars.tsx';
import { StackedBars } from '../../charts/stacked-bars.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useMinutes } from '../../shell/usage.ts';
import { Card } from '../../ui/card.tsx';
import { time, utcDay } from '../../ui/format.ts';
import { chartWords } from '../../words/charts.ts';
import { overviewWords } from '../../words/overview.ts';
import { usageWords as words } from '../../words/usage.ts';
import { busiestOf, perDay, perQuarter } from './totals.ts';

export type Range = keyof typeof words.ranges;

const MINUTES = { hour: 60, day: 1_440, month: 60 };
const DAYS = 30;

interface RequestsChartProps {
  range: Range;
  usage: QueryResult<Usage>;
  now: number;
}

/** Minutes of an hour, quarters of an hour of a day, or days of a month. */
export function RequestsChart({ range, usage, now }: RequestsChartProps) {
  const minutes = useMinutes(MINUTES[range], range !== 'month');
  const { perMinute, perDay: dayLimit } = session.value!.limits;
  const busiest = busiestOf(minutes.data ?? []);
  const note = words.chartNotes[range](busiest, range === 'month' ? dayLimit : perMinute);
  return (
    <Card
      title={words.charts[range]}
      subtitle={note}
      aside={
        <div class="legend">
          <span>{overviewWords.admitted}</span>
          <span class="refused">{overviewWords.refusedLegend}</span>
        </div>
      }
    >
      <div class="chart-room">
        {range === 'month' ? (
          <Loaded query={usage} rows={7}>
            {(data) => <DayChart usage={data} limit={dayLimit} now={now} />}
          </Loaded>
        ) : (
          <Loaded query={minutes} rows={7}>
            {(data) =>
              range === 'hour' ? (
                <MinuteBars minutes={data} limit={perMinute} />
              ) : (
                <QuarterChart quarters={perQuarter(data)} />
              )
            }
          </Loaded>
        )}
      </div>
    </Card>
  );
}

function QuarterChart({ quarters }: { quarters: ReturnType<typeof perQuarter> }) {
  return (
    <StackedBars
      label={chartWords.quarters(quarters)}
      unit={chartWords.quarter}
      bars={quarters.map(({ from, admitted, refused }, index) => ({
        name: time(from),
        short: index === quarters.length - 1 ? chartWords.now : time(from),
        admitted,
        refused,
      }))}
    />
  );
}

function DayChart({ usage, limit, now }: { usage: Usage; limit: number; now: number }) {
  const days = perDay(usage, DAYS, now);
  return (
    <StackedBars
      label={chartWords.days(days, limit)}
      unit={chartWords.day}
      bars={days.map(({ date, admitted, refused }, index) => ({
        name: utcDay(date),
        short: index === days.length - 1 ? chartWords.today : utcDay(date),
        admitted,
        refused,
      }))}
      limit={{ value: limit, text: chartWords.dayLimit(limit) }}
    />
  );
}
