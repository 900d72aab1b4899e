import type { Page } from '@petstore/client';
import type { ComponentChildren } from 'preact';
import type { QueryResult } from '../api/query.ts';
import { address, queryValue } from '../router.ts';
import { LinkButton } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Table, type TableProps } from '../ui/table.tsx';
import { controlWords as words } from '../words/controls.ts';
import { Loaded } from './loaded.tsx';
import { nextHref, Pager, searchedWith } from './pager.tsx';
import { PAGE_SIZES, pageSize } from './use-list.ts';

interface RecordListProps<Item, Row = Item> extends Omit<TableProps<Row>, 'rows'> {
  list: QueryResult<Page<Item>>;
  /** The rows of a page, where they are not its records. */
  rowsOf?: (items: readonly Item[]) => readonly Row[];
  /** How many lines the skeleton has. */
  lines?: number;
  /** Whether the rows wait for names that they show. */
  isHeld?: boolean;
  /** What stands there instead of a table without rows. */
  empty: () => ComponentChildren;
  /** "20 pets on this page", or "12 pets" if these are all. */
  onPage: (rows: number, areAll: boolean) => string;
}

/** Whether the page ended before it was full: one request looks at a bounded number of records. */
const isEarly = (items: readonly unknown[]) => items.length < pageSize.value;

/** A page without a row that is not the end: what was looked through, and a way on. */
function SearchOn({ nextCursor }: { nextCursor: string }) {
  return (
    <Empty icon="search" title={words.searchOnText}>
      <p>
        {words.searched(searchedWith(true))}{' '}
        <a href={address.value.pathname}>{words.clearFilters}</a>
      </p>
      <LinkButton href={nextHref(nextCursor, true)}>{words.searchOn}</LinkButton>
    </Empty>
  );
}

/** A list of records with its pages, in all its states. */
export function RecordList<Item, Row = Item>(props: RecordListProps<Item, Row>) {
  const { list, lines = 12, isHeld, empty, onPage, ...table } = props;
  const { rowsOf = (items) => items as readonly unknown[] as readonly Row[] } = props;
  return (
    <section class="card flush" aria-label={table.label} aria-busy={list.isPrevious}>
      <Loaded query={list} rows={lines} isHeld={isHeld}>
        {({ items, nextCursor }) => (
          <>
            {items.length > 0 ? (
              <Table {...table} rows={rowsOf(items)} />
            ) : nextCursor === undefined ? (
              empty()
            ) : (
              <SearchOn nextCursor={nextCursor} />
            )}
            {(items.length > 0 || queryValue('cursor')) && (
              <Pager
                text={onPage(items.length, nextCursor === undefined && !queryValue('cursor'))}
                nextCursor={items.length > 0 ? nextCursor : undefined}
                isEarly={isEarly(items)}
                hasSizes={nextCursor !== undefined || items.length > PAGE_SIZES[0]}
              />
            )}
          </>
        )}
      </Loaded>
      {/* The place that a link names may be gone. */}
      {list.data === undefined && list.error !== null && queryValue('cursor') && (
        <Pager text="" nextCursor={undefined} />
      )}
    </section>
  );
}
