// Pure arithmetic of charts.

/** A round number of at least `max`, and the lines to draw up to it. */
export function ticksTo(max: number, wanted = 4): number[] {
  const rough = Math.max(1, max) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough)!,
  );
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  const top = Math.ceil(Math.max(1, max) / whole) * whole;
  return Array.from({ length: top / whole + 1 }, (_, index) => index * whole);
}

/** A function from values to pixels. */
export function linear(
  domain: readonly [number, number],
  range: readonly [number, number],
): (value: number) => number {
  const [from, to] = domain;
  const [start, end] = range;
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * (end - start);
}

/** Up to `wanted` of the indexes of a list, evenly apart; the last one always. */
export function spread(length: number, wanted: number): number[] {
  if (length === 0) return [];
  const step = Math.max(1, Math.ceil((length - 1) / Math.max(1, wanted - 1)));
  const indexes: number[] = [];
  for (let index = length - 1; index >= 0; index -= step) indexes.unshift(index);
  return indexes;
}

/** A staircase: each value holds until the next one. */
export function stepPath(
  points: readonly (readonly [x: number, y: number])[],
  endX: number,
): string {
  if (points.length === 0) return '';
  const [[x, y], ...rest] = points as [readonly [number, number], ...(readonly [number, number])[]];
  const steps = rest.map(([nextX, nextY]) => `H${round(nextX)}V${round(nextY)}`).join('');
  return `M${round(x)} ${round(y)}${steps}H${round(endX)}`;
}

export function linePath(points: readonly (readonly [x: number, y: number])[]): string {
  return points
    .map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`)
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
