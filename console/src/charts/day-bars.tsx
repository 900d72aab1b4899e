import { number, utcDay } from '../ui/format.ts';
import { chartWords as words } from '../words/charts.ts';
import { Below, BOTTOM, LEFT, Lines, TOP } from './axes.tsx';
import { Chart } from './chart.tsx';
import { linear, spread, ticksTo } from './scale.ts';

export interface Day {
  /** A day of the zone: 2026-11-15. */
  date: string;
  count: number;
}

const MIN_HEIGHT = 240;

/** A number for each day of a time zone; the last one is today. */
export function DayBars({
  days,
  zone,
  label,
  unit,
  textOf,
}: {
  days: readonly Day[];
  zone: string;
  label: string;
  /** What is counted: the heading of the table. */
  unit: string;
  /** A number of them in words. */
  textOf: (count: number) => string;
}) {
  const ticks = ticksTo(Math.max(...days.map(({ count }) => count)), 3);
  const slot = (width: number) => (width - LEFT) / Math.max(1, days.length);
  const nameOf = (index: number) =>
    index === days.length - 1 ? words.today : utcDay(days[index]!.date);
  return (
    <Chart
      label={label}
      columns={[words.dayOf(zone), unit]}
      count={days.length}
      readingAt={(index) => {
        const { date, count } = days[index]!;
        return {
          text: words.dayReading(nameOf(index), textOf(count)),
          cells: [utcDay(date), number(count)],
        };
      }}
      minHeight={MIN_HEIGHT}
      xOf={(index, width) => LEFT + (index + 0.5) * slot(width)}
      indexAt={(x, width) => Math.floor((x - LEFT) / slot(width))}
      draw={({ width, height }, current) => {
        const y = linear([0, ticks.at(-1)!], [height - BOTTOM, TOP]);
        const step = slot(width);
        const bar = Math.max(2, step * 0.62);
        return (
          <>
            <Lines label={unit} ticks={ticks} y={y} width={width} />
            {days.map(({ date, count }, index) => (
              <rect
                key={date}
                class={index === days.length - 1 || index === current ? 'admitted' : 'pale'}
                x={LEFT + index * step + (step - bar) / 2}
                width={bar}
                y={y(count)}
                height={y(0) - y(count)}
                rx={2}
              />
            ))}
            <Below
              height={height}
              labels={spread(days.length, 3).map((index) => ({
                x: index === days.length - 1 ? width : LEFT + index * step + step / 2,
                text: nameOf(index),
                anchor: index === days.length - 1 ? 'end' : 'middle',
              }))}
            />
          </>
        );
      }}
    />
  );
}
