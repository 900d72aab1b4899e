import { signal } from '@preact/signals';

export const PAGE_SIZES = [20, 50, 100] as const;
const NAME = 'page-size';

function remembered(): number {
  try {
    return Number(localStorage.getItem(NAME));
  } catch {
    // A browser that blocks storage forgets the choice; all else works.
    return 0;
  }
}

/** How many rows a page of a list has. This browser remembers it. */
export const pageSize = signal<number>(
  PAGE_SIZES.find((each) => each === remembered()) ?? PAGE_SIZES[0],
);

export function setPageSize(rows: number): void {
  pageSize.value = rows;
  try {
    localStorage.setItem(NAME, String(rows));
  } catch {}
}
