import type { Order } from '@petstore/client';
import { useState } from 'preact/hooks';
import { noteChange } from '../../api/changes.ts';
import { errorText } from '../../api/errors.ts';
import { noteSessionEnd, scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { patiently } from '../../parts/patiently.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/say.ts';
import type { Column } from '../../ui/table.tsx';
import { orderWords as words } from '../../words/orders.ts';
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

export function selectColumn({ rows, marked, has, set }: Selection): Column<Order> {
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
    cell: ({ id }) => (
      <input
        type="checkbox"
        aria-label={words.select(id)}
        checked={has(id)}
        onChange={() => set(has(id) ? ids.filter((each) => each !== id) : [...ids, id])}
      />
    ),
  };
}

export interface SelectionBarProps {
  selection: Selection;
  nameOf: (petId: number) => string;
}

/** What can be done with the marked orders. */
export function SelectionBar({ selection: { marked, set }, nameOf }: SelectionBarProps) {
  const [done, setDone] = useState<number | undefined>(undefined);
  const [sheet, print] = usePrint();
  if (marked.length === 0) return null;
  const open = marked.filter(({ state }) => state === 'open');
  const fulfil = async () => {
    const failed: number[] = [];
    setDone(0);
    for (const [index, { id }] of open.entries()) {
      await patiently(() => store.orders.update(id, { complete: true })).catch((err) => {
        noteSessionEnd(err);
        failed.push(id);
        say(words.notFulfilled(id, errorText(err)), { tone: 'bad' });
      });
      setDone(index + 1);
    }
    setDone(undefined);
    set(failed);
    noteChange('updateOrder');
    if (failed.length < open.length) say(words.fulfilledMany(open.length - failed.length));
  };
  const offReason = scopeReason('write') ?? (open.length === 0 ? words.hasEnded : undefined);
  return (
    <>
      <section class="card selection" aria-label={words.selected(marked.length)}>
        <strong role="status">{words.selected(marked.length)}</strong>
        <span class="actions">
          <Button onClick={() => set([])}>{words.unselect}</Button>
          <Button icon="printer" onClick={() => print('pick')}>
            {words.printPick}
          </Button>
          <Button icon="printer" onClick={() => print('slips')}>
            {words.printSlips}
          </Button>
          <Button
            look="primary"
            icon="check"
            isBusy={done !== undefined}
            offReason={offReason}
            onClick={() => void fulfil()}
          >
            {done === undefined ? words.fulfilMany : words.fulfilling(done, open.length)}
          </Button>
        </span>
      </section>
      {sheet === 'pick' && <PickList orders={marked} nameOf={nameOf} />}
      {sheet === 'slips' && <PackingSlips orders={marked} nameOf={nameOf} />}
    </>
  );
}
