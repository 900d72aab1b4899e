import type { ComponentChildren } from 'preact';
import { BASE } from '../router.ts';
import { Empty } from '../ui/empty.tsx';
import type { IconName } from '../ui/icons/icon-paths.ts';
import { controlWords as words } from '../words/controls.ts';

export interface NoMatchProps {
  icon: IconName;
  title: string;
  text: string;
  /** The screen without filters. */
  path: string;
  children?: ComponentChildren;
}

/** A list whose filters leave nothing. */
export function NoMatch({ icon, title, text, path, children }: NoMatchProps) {
  return (
    <Empty icon={icon} title={title}>
      <p>
        {text} <a href={`${BASE}${path}`}>{words.clearFilters}</a>
      </p>
      {children}
    </Empty>
  );
}
