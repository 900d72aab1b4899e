import type { Order } from '@petstore/client';
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/table.tsx';
import { orderWords as words } from '../../words/orders.ts';
import { FulfilMany } from './fulfil-many.tsx';
import { type OrderGroup, titleOf } from './order-groups.ts';
import { PackingSlips } from './sheets/packing-slips.tsx';
import { PickList } from './sheets/pick-list.tsx';
import { usePrint } from './sheets/use-print.ts';

/** The orders of this page that the user has marked. */
export interface Selection {
  /** All of this page. */
  rows: readonly Order[];
  marked: readonly Order[];
  has: (id: number) => boolean;
  set: (ids: readonly number[]) => void;
}

export function useSelection(rows: readonly Order[]): Selection {
  const [ids, set] = useState<readonly number[]>([]);
  const marked = rows.filter(({ id }) => ids.includes(id));
  return { rows, marked, has: (id) => ids.includes(id), set };
}

/** Marks the orders of a row. */
export function selectColumn({ rows, marked, has, set }: Selection): Column<OrderGroup> {
  const ids = marked.map(({ id }) => id);
  const areAll = marked.length === rows.length && rows.length > 0;
  return {
    title: words.selectAll,
    isBare: true,
    head: (
      <input
        type="checkbox"
        aria-label={words.selectAll}
        checked={areAll}
        onChange={() => set(areAll ? [] : rows.map(({ id }) => id))}
      />
    ),
    cell: (group) => {
      const own = group.map(({ id }) => id);
      const others = ids.filter((id) => !own.includes(id));
      const isMarked = own.every(has);
      return (
        <input
          type="checkbox"
          aria-label={words.select(titleOf(group))}
          checked={isMarked}
          onChange={() => set(isMarked ? others : [...others, ...own])}
        />
      );
    },
  };
}

interface SelectionBarProps {
  selection: Selection;
  nameOf: (petId: number) => string;
}

/** What can be done with the marked orders. */
export function SelectionBar({ selection: { marked, set }, nameOf }: SelectionBarProps) {
  const [sheet, print] = usePrint();
  if (marked.length === 0) return null;
  const open = marked.filter(({ state }) => state === 'open');
  // A cancelled order is neither fetched from the shelves nor packed.
  const packed = marked.filter(({ state }) => state === 'open' || state === 'complete');
  const noneOpen = open.length === 0 ? words.noneOpen : undefined;
  return (
    <>
      <section class="card selection" aria-label={words.selected(marked.length)}>
        <strong role="status">{words.selected(marked.length)}</strong>
        <span class="actions">
          <Button onClick={() => set([])}>{words.unselect}</Button>
          <Button icon="printer" offReason={noneOpen} onClick={() => print('pick')}>
            {words.printPick}
          </Button>
          <Button
            icon="printer"
            offReason={packed.length === 0 ? words.allCancelled : undefined}
            onClick={() => print('slips')}
          >
            {words.printSlips}
          </Button>
          <FulfilMany look="primary" orders={open} onDone={set} />
        </span>
      </section>
      {sheet === 'pick' && <PickList orders={open} nameOf={nameOf} />}
      {sheet === 'slips' && <PackingSlips orders={packed} nameOf={nameOf} />}
    </>
  );
}
