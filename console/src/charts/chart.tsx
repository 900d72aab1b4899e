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

export interface ChartProps {
  /** One sentence that says what the chart shows. */
  label: string;
  /** The headings of the table. */
  columns: readonly string[];
  /** How many points there are. */
  count: number;
  readingAt: (index: number) => Reading;
  height: number;
  /** Draws at the width that there is, in pixels; the point that is read is marked. */
  draw: (width: number, current: number | undefined) => ComponentChildren;
  /** The point at a place of the width. */
  indexAt: (x: number, width: number) => number;
}

/** A drawing that can be read: arrow keys go from point to point, and a table holds the same numbers. */
export function Chart({ label, columns, count, readingAt, height, draw, indexAt }: ChartProps) {
  const ref = useRef<HTMLDivElement>(null);
  const width = useWidth(ref);
  const [isTable, setTable] = useState(false);
  const [current, setCurrent] = useState<number | undefined>(undefined);
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
        <div class="chart-table" style={{ height: `${height}px` }}>
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
        </div>
      ) : (
        <div
          ref={ref}
          class="drawing"
          style={{ height: `${height}px` }}
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
            const { left } = event.currentTarget.getBoundingClientRect();
            setCurrent(Math.min(last, Math.max(0, indexAt(event.clientX - left, width))));
          }}
          onPointerLeave={() => setCurrent(undefined)}
        >
          {width > 0 && (
            <svg width={width} height={height} aria-hidden="true">
              {draw(width, current)}
            </svg>
          )}
          {current !== undefined && current < count && (
            <p class="reading">{readingAt(current).text}</p>
          )}
        </div>
      )}
      <figcaption>
        <Button
          look="quiet"
          size="small"
          icon={isTable ? 'chart-column' : 'table-2'}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? words.showChart : words.showTable}
        </Button>
      </figcaption>
    </figure>
  );
}

function useWidth(ref: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  // The first width is known before the first frame is painted.
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref.current]);
  return width;
}
