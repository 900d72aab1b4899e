import { useEffect, useRef } from 'preact/hooks';
import { address, hrefWith, queryNumber, setQuery } from '../router.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { controlWords as words } from '../words/controls.ts';
import { PAGE_SIZES, pageSize, setPageSize } from './use-list.ts';

interface PagerProps {
  /** "20 pets on this page". */
  text: string;
  nextCursor: string | undefined;
  /** Whether the page ended before it was full, and is not the last. */
  isEarly?: boolean;
  /** Whether the user can choose how many rows a page has. */
  hasSizes?: boolean;
}

/**
 * Goes from page to page. The place is in the address, so a copied link shows the same page. A new page is read from its
 * top.
 */
export function Pager({ text, nextCursor, isEarly = false, hasSizes }: PagerProps) {
  const isSearching = isEarly && nextCursor !== undefined;
  const isFirst = !address.value.searchParams.has('cursor');
  const before = entryBefore();
  const ref = useRef<HTMLElement>(null);
  const cursor = address.value.searchParams.get('cursor');
  const shown = useRef(cursor);
  useEffect(() => {
    if (shown.current === cursor) return;
    shown.current = cursor;
    const list = ref.current!.closest<HTMLElement>('section')!;
    list.tabIndex = -1;
    list.focus({ preventScroll: true });
    if (list.getBoundingClientRect().top < 0) list.scrollIntoView();
  }, [cursor]);
  return (
    <footer ref={ref} class="pager">
      <span class="muted">
        {text}
        {isSearching && ` · ${words.searched(searchedWith(true))}`}
      </span>
      <span class="actions">
        {hasSizes && <PageSize />}
        {!isFirst &&
          (before ? (
            <Button
              icon="chevron-left"
              size="small"
              onClick={() => navigation.traverseTo(before.key)}
            >
              {words.back}
            </Button>
          ) : (
            <LinkButton href={hrefWith({ cursor: undefined })} icon="chevron-left" size="small">
              {words.first}
            </LinkButton>
          ))}
        {nextCursor !== undefined && (
          <LinkButton href={nextHref(nextCursor, isEarly)} icon="chevron-right" size="small">
            {isSearching ? words.searchOn : words.next}
          </LinkButton>
        )}
      </span>
    </footer>
  );
}

/** How many records one request looks at, as the service documents it. */
const LOOKED_AT = 5_000;

/** About how many records were looked through: the address counts the pages before that ended early. */
export const searchedWith = (isEarly: boolean) =>
  ((queryNumber('searched') ?? 0) + (isEarly ? 1 : 0)) * LOOKED_AT;

/** The address of the next page. */
export function nextHref(cursor: string, isEarly: boolean): string {
  const searched = searchedWith(isEarly) / LOOKED_AT;
  return hrefWith({ cursor, searched: searched || undefined });
}

function PageSize() {
  return (
    <select
      class="input page-size"
      aria-label={words.pageSize}
      value={String(pageSize.value)}
      onChange={({ currentTarget: { value } }) => {
        setPageSize(Number(value));
        setQuery({ cursor: undefined });
      }}
    >
      {PAGE_SIZES.map((rows) => (
        <option key={rows} value={rows}>
          {words.rowsPerPage(rows)}
        </option>
      ))}
    </select>
  );
}

/** The page before in the history of this list. Records that were opened and closed meanwhile lie between. */
function entryBefore(): NavigationHistoryEntry | undefined {
  // Without the Navigation API the entries are not known.
  if (!globalThis.navigation) return undefined;
  const { pathname, searchParams } = address.value;
  const cursor = searchParams.get('cursor');
  const entries = navigation.entries().slice(0, navigation.currentEntry?.index ?? 0);
  for (const entry of entries.reverse()) {
    const url = new URL(entry.url ?? location.origin);
    if (url.pathname !== pathname) return undefined;
    if (url.searchParams.get('cursor') !== cursor) return entry;
  }
  return undefined;
}
