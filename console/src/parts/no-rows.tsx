import type { ComponentChildren } from 'preact';
import { BASE } from '../router.ts';
import { Empty } from '../ui/empty.tsx';
import type { IconName } from '../ui/icons/icon-paths.ts';
import { controlWords } from '../words/controls.ts';

interface NoRowsProps {
  icon: IconName;
  words: Record<'emptyTitle' | 'emptyText' | 'noMatchTitle' | 'noMatchText', string>;
  /** Whether filters leave nothing. Otherwise there is nothing at all yet. */
  isFiltered: boolean;
  /** The screen without filters. */
  path: string;
  /** What else may be tried where filters leave nothing. */
  orElse?: ComponentChildren;
  /** What to do first. */
  children?: ComponentChildren;
}

/** A list without rows. */
export function NoRows({ icon, words, isFiltered, path, orElse, children }: NoRowsProps) {
  return isFiltered ? (
    <Empty icon={icon} title={words.noMatchTitle}>
      <p>
        {words.noMatchText} <a href={BASE + path}>{controlWords.clearFilters}</a>
      </p>
      {orElse}
    </Empty>
  ) : (
    <Empty icon={icon} title={words.emptyTitle}>
      <p>{words.emptyText}</p>
      {children}
    </Empty>
  );
}
