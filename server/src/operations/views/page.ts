import type { Page } from '../../datastore/page.ts';

/** A page of records as a page of wire shapes. */
export function pageView<R, V>(page: Page<R>, itemView: (record: R) => V): Page<V> {
  return { ...page, items: page.items.map(itemView) };
}
