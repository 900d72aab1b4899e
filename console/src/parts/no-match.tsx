import { BASE, hrefWith } from '../router.ts';
import { LinkButton } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import type { IconName } from '../ui/icons/icon-paths.ts';
import { controlWords as words } from '../words/controls.ts';

export interface NoMatchProps {
  icon: IconName;
  title: string;
  text: string;
  /** The screen without filters. */
  path: string;
  /** A page can be empty although later rows match: one request looks at a bounded number of rows. */
  nextCursor?: string | undefined;
}

/** A list whose filters leave nothing. */
export function NoMatch({ icon, title, text, path, nextCursor }: NoMatchProps) {
  return (
    <Empty icon={icon} title={title}>
      <p>
        {nextCursor ? words.searchOnText : text} <a href={`${BASE}${path}`}>{words.clearFilters}</a>
      </p>
      {nextCursor && (
        <LinkButton href={hrefWith({ cursor: nextCursor })}>{words.searchOn}</LinkButton>
      )}
    </Empty>
  );
}
