import { dateTime, day, number } from '../ui/format.ts';
import { chartWords as words } from '../words/charts.ts';
import { Below, BOTTOM, LEFT, Lines, TOP } from './axes.tsx';
import { Chart } from './chart.tsx';
import { linear, stepPath, ticksTo } from './scale.ts';

export interface StockPoint {
  /** When the counts became so. */
  at: string;
  quantity: number;
  reserved: number;
}

interface StepAreaProps {
  /** Oldest first; one for each movement. The first holds from `from` on. */
  points: readonly StockPoint[];
  from: number;
  to: number;
}

const MIN_HEIGHT = 190;

/** The staircase of stock: on hand and reserved, one step for each movement. */
export function StepArea({ points, from, to }: StepAreaProps) {
  const ticks = ticksTo(Math.max(1, ...points.map(({ quantity }) => quantity)), 3);
  const timeOf = ({ at }: StockPoint) => Math.max(from, Date.parse(at));
  const last = points.at(-1);
  return (
    <Chart
      label={words.stock(points.length, last?.quantity ?? 0, last?.reserved ?? 0)}
      columns={[words.when, words.onHand, words.reserved]}
      count={points.length}
      readingAt={(index) => {
        const { at, quantity, reserved } = points[index]!;
        return {
          text: words.stockReading(dateTime(at), quantity, reserved),
          cells: [dateTime(at), number(quantity), number(reserved)],
        };
      }}
      minHeight={MIN_HEIGHT}
      xOf={(index, width) => linear([from, to], [LEFT, width])(timeOf(points[index]!))}
      indexAt={(x, width) => {
        const at = linear([LEFT, width], [from, to])(x);
        return points.findLastIndex((point) => timeOf(point) <= at);
      }}
      draw={({ width, height }, current) => {
        const y = linear([0, ticks.at(-1)!], [height - BOTTOM, TOP]);
        const x = linear([from, to], [LEFT, width]);
        const path = (value: (point: StockPoint) => number) =>
          stepPath(
            points.map((point) => [x(timeOf(point)), y(value(point))] as const),
            width,
          );
        const area = (line: string) =>
          line === '' ? '' : `${line}V${y(0)}H${x(timeOf(points[0]!))}Z`;
        const quantity = path((point) => point.quantity);
        const reserved = path((point) => point.reserved);
        return (
          <>
            <Lines label={words.units} ticks={ticks} y={y} width={width} />
            <path class="area on-hand" d={area(quantity)} />
            <path class="line on-hand" d={quantity} />
            <path class="area reserved" d={area(reserved)} />
            <path class="line reserved" d={reserved} />
            {current !== undefined && points[current] && (
              <circle
                class="dot"
                cx={x(timeOf(points[current]))}
                cy={y(points[current].quantity)}
                r="4"
              />
            )}
            <Below
              height={height}
              labels={[
                { x: LEFT, text: day(from), anchor: 'start' },
                { x: (LEFT + width) / 2, text: day((from + to) / 2) },
                { x: width, text: words.today, anchor: 'end' },
              ]}
            />
          </>
        );
      }}
    />
  );
}
