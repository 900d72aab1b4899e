import { number, shortNumber } from '../ui/format.ts';

export const LEFT = 40;
export const BOTTOM = 24;
/** Above the drawing stands what the numbers count. */
export const TOP = 26;
/** Numbers from here on are wider than the place on the left. */
const ROOM_FOR = 10_000;

/** Grey lines with their numbers on the left. */
export function Lines({
  label,
  ticks,
  y,
  width,
}: {
  /** What the numbers count. */
  label: string;
  ticks: readonly number[];
  y: (value: number) => number;
  width: number;
}) {
  return (
    <g class="axis">
      <text class="start" x={0} y={7}>
        {label}
      </text>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
          <text class="end" x={LEFT - 8} y={y(tick)}>
            {tick < ROOM_FOR ? number(tick) : shortNumber(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

interface AxisLabel {
  x: number;
  text: string;
  anchor?: 'start' | 'middle' | 'end';
}

/** What stands below the drawing. */
export function Below({ labels, height }: { labels: readonly AxisLabel[]; height: number }) {
  return (
    <g class="axis">
      {labels.map(({ x, text, anchor = 'middle' }) => (
        <text key={`${x} ${text}`} class={`below ${anchor}`} x={x} y={height - 6}>
          {text}
        </text>
      ))}
    </g>
  );
}
