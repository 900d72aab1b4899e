// The count that is going on. This browser keeps it until it is sent, over reloads and lost connections.

import { computed, effect, type Signal, signal } from '@preact/signals';
import { lastEvent } from '../../api/live.ts';
import { session } from '../../api/session.ts';
import { newKey } from '../../api/write.ts';
import { COUNT_NAMES } from '../../parts/kept-count.ts';
import { type CountRow, isDifferent, isReady, isWrong, unitsOf } from './count-row.ts';

export interface Counting {
  workspaceId: number;
  /** Its own: another tab may still write rows of an earlier count. */
  id: string;
  title: string;
  rows: readonly Signal<CountRow>[];
}

export const counting = signal<Counting | undefined>(undefined);
/** Whether this browser keeps the count. */
export const isKept = signal(true);

export const valuesOf = () => counting.value?.rows.map(({ value }) => value) ?? [];

export const totals = computed(() => {
  const rows = valuesOf();
  return {
    all: rows.length,
    counted: rows.filter(({ counted }) => unitsOf(counted) !== undefined).length,
    different: rows.filter(isDifferent).length,
    /** Those whose text is no number. */
    wrong: rows.filter(isWrong).length,
    ready: rows.filter(isReady).length,
    /** Those that were sent and not saved. */
    refused: rows.filter(({ problem }) => problem !== undefined).length,
  };
});

const workspaceId = () => session.value!.workspaceId;
const nameOf = () => `${COUNT_NAMES}${workspaceId()}`;
/** Each row that was changed is kept by itself: with 1,000 rows, writing all of them with each digit would be felt. */
const rowName = (id: string, { petId }: CountRow) => `${nameOf()}-${id}-${petId}`;

function lastOf(id: string, row: CountRow): CountRow {
  const text = localStorage.getItem(rowName(id, row));
  return text === null ? row : (JSON.parse(text) as CountRow);
}

/** Goes on with what this browser has kept for this workspace. */
export function resumeCount(): void {
  if (counting.value?.workspaceId === workspaceId()) return;
  counting.value = undefined;
  try {
    const text = localStorage.getItem(nameOf());
    if (text === null) return;
    const { id, title, rows } = JSON.parse(text) as Kept;
    counting.value = countingOf({ id, title, rows: rows.map((row) => lastOf(id, row)) });
  } catch {
    // A browser that blocks storage has kept none.
  }
}

/** As this browser keeps it. */
interface Kept {
  id: string;
  title: string;
  rows: readonly CountRow[];
}

const countingOf = ({ rows, ...kept }: Kept): Counting => {
  return { ...kept, workspaceId: workspaceId(), rows: rows.map((row) => signal(row)) };
};

export function beginCount(title: string, rows: readonly CountRow[]): void {
  const kept = { id: newKey(), title, rows };
  counting.value = countingOf(kept);
  keep(() => {
    forget();
    localStorage.setItem(nameOf(), JSON.stringify(kept));
  });
}

export function endCount(): void {
  counting.value = undefined;
  keep(forget);
}

/** Removes all counts of this workspace. */
function forget(): void {
  for (const name of Object.keys(localStorage)) {
    if (`${name}-`.startsWith(`${nameOf()}-`)) localStorage.removeItem(name);
  }
}

export function changeRow(row: Signal<CountRow>, changes: Partial<CountRow>): void {
  const next = { ...row.peek(), ...changes };
  row.value = next;
  const { id } = counting.peek()!;
  keep(() => localStorage.setItem(rowName(id, next), JSON.stringify(next)));
}

// What is sold before its pet is counted is no conflict: the shelf that is counted has it no more.
effect(() => {
  const { data } = lastEvent.value ?? {};
  const item = data && 'inventory' in data ? data.inventory : undefined;
  const row = item && counting.peek()?.rows.find((each) => each.peek().petId === item.petId);
  if (row?.peek().counted.trim() === '') changeRow(row, { expected: item!.quantity });
});

/** Writes to the storage of this browser, with every change: a page can end at any moment. */
function keep(write: () => void): void {
  try {
    write();
    isKept.value = true;
  } catch {
    isKept.value = false;
  }
}
