import { linear, linePath } from './scale.ts';

const WIDTH = 96;
const HEIGHT = 30;

/** A small line beside a number. It adds nothing that the number's card does not say elsewhere. */
export function Spark({
  values,
  tone,
}: {
  values: readonly number[];
  tone: 'good' | 'warn' | 'bad';
}) {
  if (values.length < 2) return null;
  const x = linear([0, values.length - 1], [0, WIDTH]);
  const y = linear([0, Math.max(1, ...values)], [HEIGHT - 1, 3]);
  const line = linePath(values.map((value, index) => [x(index), y(value)] as const));
  return (
    <svg class={`spark ${tone}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path class="fill" d={`${line}V${HEIGHT}H0Z`} />
      <path class="stroke" d={line} />
    </svg>
  );
}
