import type { Page } from '@petstore/client';
import type { ComponentChildren } from 'preact';
import type { QueryResult } from '../api/query.ts';
import { queryValue } from '../router.ts';
import { Table, type TableProps } from '../ui/table.tsx';
import { Loaded } from './loaded.tsx';
import { Pager } from './pager.tsx';
import { PAGE_SIZES } from './use-list.ts';

export interface RecordListProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  list: QueryResult<Page<Row>>;
  /** How many lines the skeleton has. */
  lines?: number;
  /** Whether the rows wait for names that they show. */
  isHeld?: boolean;
  /** What stands there instead of a table without rows. */
  empty: (nextCursor: string | undefined) => ComponentChildren;
  /** "20 pets on this page", or "12 pets" if these are all. */
  onPage: (rows: number, areAll: boolean) => string;
}

/** A list of records with its pages, in all its states. */
export function RecordList<Row>(props: RecordListProps<Row>) {
  const { list, lines = 12, isHeld, empty, onPage, ...table } = props;
  return (
    <section class="card flush" aria-label={table.label}>
      <Loaded query={list} rows={lines} isHeld={isHeld}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 ? empty(nextCursor) : <Table {...table} rows={items} />}
            {(items.length > 0 || nextCursor !== undefined || queryValue('cursor')) && (
              <Pager
                text={onPage(items.length, nextCursor === undefined && !queryValue('cursor'))}
                nextCursor={nextCursor}
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
