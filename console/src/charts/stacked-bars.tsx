import { number } from '../ui/format.ts';
import { chartWords as words } from '../words/charts.ts';
import { Below, BOTTOM, LEFT, Lines, TOP } from './axes.tsx';
import { Chart } from './chart.tsx';
import { linear, spread, ticksTo } from './scale.ts';

interface Bar {
  /** What it stands for, as it is read and as the table names it. */
  name: string;
  /** What stands below it. */
  short: string;
  admitted: number;
  refused: number;
}

interface StackedBarsProps {
  bars: readonly Bar[];
  label: string;
  /** What a bar is: the heading of the table's first column. */
  unit: string;
  limit?: { value: number; text: string };
}

const MIN_HEIGHT = 240;

/** Requests of each period, admitted and refused, against a limit. */
export function StackedBars({ bars, label, unit, limit }: StackedBarsProps) {
  const most = Math.max(0, ...bars.map(({ admitted, refused }) => admitted + refused));
  // A limit far above the traffic would flatten the bars.
  const isNear =
    limit !== undefined && (limit.value <= most * 4 || most === 0 || limit.value <= 100);
  const shownLimit = isNear ? limit : undefined;
  const ticks = ticksTo(Math.max(most, (shownLimit?.value ?? 0) * 1.1));
  const slot = (width: number) => (width - LEFT) / Math.max(1, bars.length);
  return (
    <Chart
      label={label}
      columns={[unit, words.admitted, words.refused]}
      count={bars.length}
      readingAt={(index) => {
        const { name, admitted, refused } = bars[index]!;
        return {
          text: words.minuteReading(name, admitted, refused),
          cells: [name, number(admitted), number(refused)],
        };
      }}
      minHeight={MIN_HEIGHT}
      xOf={(index, width) => LEFT + (index + 0.5) * slot(width)}
      indexAt={(x, width) => Math.floor((x - LEFT) / slot(width))}
      draw={({ width, height }, current) => {
        const y = linear([0, ticks.at(-1)!], [height - BOTTOM, TOP]);
        const step = slot(width);
        const middle = (index: number) => LEFT + index * step + step / 2;
        return (
          <>
            <Lines label={words.requests} ticks={ticks} y={y} width={width} />
            {bars.map((bar, index) => (
              <g key={bar.name} class={index === current ? 'current' : undefined}>
                <Column bar={bar} middle={middle(index)} width={Math.max(1, step * 0.68)} y={y} />
              </g>
            ))}
            {shownLimit && (
              <g class="limit">
                <line x1={LEFT} x2={width} y1={y(shownLimit.value)} y2={y(shownLimit.value)} />
                <text x={LEFT + 6} y={y(shownLimit.value) - 7}>
                  {shownLimit.text}
                </text>
              </g>
            )}
            <Below
              height={height}
              labels={spread(bars.length, width < 460 ? 4 : 5).map((index) => ({
                x: index === bars.length - 1 ? width : middle(index),
                text: bars[index]!.short,
                anchor: index === bars.length - 1 ? 'end' : 'middle',
              }))}
            />
          </>
        );
      }}
    />
  );
}

interface ColumnProps {
  bar: Bar;
  middle: number;
  width: number;
  y: (value: number) => number;
}

function Column({ bar: { admitted, refused }, middle, width, y }: ColumnProps) {
  const place = { x: middle - width / 2, width, rx: Math.min(2, width / 3) };
  return (
    <>
      <rect class="admitted" {...place} y={y(admitted)} height={y(0) - y(admitted)} />
      {refused > 0 && (
        <rect
          class="refused"
          {...place}
          y={y(admitted + refused)}
          height={Math.max(1, y(admitted) - y(admitted + refused) - 1)}
        />
      )}
    </>
  );
}
