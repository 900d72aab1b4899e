import type { ComponentChildren } from 'preact';
import { BASE, hrefWith } from '../router.ts';
import { LinkButton } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import type { IconName } from '../ui/icons/icon-paths.ts';
import { controlWords } from '../words/controls.ts';

export interface NoRowsProps {
  icon: IconName;
  words: Record<'emptyTitle' | 'emptyText' | 'noMatchTitle' | 'noMatchText', string>;
  /** Whether filters leave nothing. Otherwise there is nothing at all yet. */
  isFiltered: boolean;
  /** The screen without filters. */
  path: string;
  /** A page can be empty although later rows match: one request looks at a bounded number of rows. */
  nextCursor?: string | undefined;
  /** What to do first. */
  children?: ComponentChildren;
}

/** A list without rows. */
export function NoRows({ icon, words, isFiltered, path, nextCursor, children }: NoRowsProps) {
  return isFiltered ? (
    <Empty icon={icon} title={words.noMatchTitle}>
      <p>
        {nextCursor ? controlWords.searchOnText : words.noMatchText}{' '}
        <a href={BASE + path}>{controlWords.clearFilters}</a>
      </p>
      {nextCursor && (
        <LinkButton href={hrefWith({ cursor: nextCursor })}>{controlWords.searchOn}</LinkButton>
      )}
    </Empty>
  ) : (
    <Empty icon={icon} title={words.emptyTitle}>
      <p>{words.emptyText}</p>
      {children}
    </Empty>
  );
}
