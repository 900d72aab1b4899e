import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Table } from '../ui/table.tsx';
import { controlWords as words } from '../words/controls.ts';

export interface Reading {
  /** What the reader hears and sees for one point: "16:11: 24 admitted". */
  text: string;
  /** The cells of its row in the table. */
  cells: readonly string[];
}

interface ChartProps {
  /** One sentence that says what the chart shows. */
  label: string;
  /** The headings of the table. */
  columns: readonly string[];
  /** How many points there are. */
  count: number;
  readingAt: (index: number) => Reading;
  /** At least so high, in pixels. It fills the height that there is. */
  minHeight: number;
  /** Draws at the size that there is, in pixels; the point that is read is marked. */
  draw: (size: Size, current: number | undefined) => ComponentChildren;
  /** The point at a place of the width. */
  indexAt: (x: number, width: number) => number;
  /** The place of a point on the width. */
  xOf: (index: number, width: number) => number;
}

interface Size {
  width: number;
  height: number;
}

/** A drawing that can be read: arrow keys go from point to point, and a table holds the same numbers. */
export function Chart(props: ChartProps) {
  const { label, columns, count, readingAt, minHeight, draw, indexAt, xOf } = props;
  const ref = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(ref);
  const [isTable, setTable] = useState(false);
  const [current, setCurrent] = useState<number | undefined>(undefined);
  /** How far down the pointer is. The arrow keys leave it where it was, at first at the top. */
  const [y, setY] = useState(0);
  const last = count - 1;
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const from = current ?? last;
    const moves: Record<string, number> = {
      ArrowLeft: from - 1,
      ArrowRight: from + 1,
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setCurrent(Math.min(last, Math.max(0, next)));
  };
  const shown = current ?? last;
  return (
    <figure class="chart">
      {isTable ? (
        <section
          class="chart-table"
          style={{ minHeight: `${minHeight}px` }}
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table can be scrolled by keyboard.
          tabIndex={0}
        >
          <Table
            label={label}
            columns={columns.map((title, index) => ({
              title,
              align: index > 0 ? ('end' as const) : ('start' as const),
              cell: (row: Reading) => row.cells[index],
            }))}
            rows={Array.from({ length: count }, (_, index) => readingAt(index))}
            keyOf={(row) => row.text}
          />
        </section>
      ) : (
        <div
          ref={ref}
          class="drawing"
          style={{ minHeight: `${minHeight}px` }}
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, last)}
          aria-valuenow={Math.max(0, shown)}
          aria-valuetext={count > 0 ? readingAt(shown).text : ''}
          onKeyDown={onKeyDown}
          onBlur={() => setCurrent(undefined)}
          onPointerMove={(event) => {
            const { left, top } = event.currentTarget.getBoundingClientRect();
            setY(event.clientY - top);
            setCurrent(Math.min(last, Math.max(0, indexAt(event.clientX - left, width))));
          }}
          onPointerLeave={() => setCurrent(undefined)}
        >
          {width > 0 && (
            <svg width={width} height={height} aria-hidden="true">
              {draw({ width, height }, current)}
            </svg>
          )}
          {current !== undefined && current < count && (
            <p
              class={`reading ${sideOf(xOf(current, width), width)}`}
              style={{
                left: `${xOf(current, width)}px`,
                bottom: `${height - Math.max(y - 8, 44)}px`,
              }}
            >
              {readingAt(current).text}
            </p>
          )}
        </div>
      )}
      <figcaption>
        <Button
          look="quiet"
          size="small"
          icon={isTable ? 'activity' : 'menu'}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? words.showChart : words.showTable}
        </Button>
      </figcaption>
    </figure>
  );
}

/** On which side of its point a text has room. */
function sideOf(x: number, width: number): string {
  if (x < width / 3) return 'after';
  return x > (width * 2) / 3 ? 'before' : '';
}

function useSize(ref: { current: HTMLElement | null }): Size {
  const [size, setSize] = useState({ width: 0, height: 0 });
  // The first size is known before the first frame is painted.
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref.current]);
  return size;
}
