import type { ComponentChildren } from 'preact';
import { Icon } from './icons/icon.tsx';
import type { IconName } from './icons/icon-paths.ts';

/** A place where something would be. Says what to do. */
export function Empty({
  icon,
  title,
  isWholeScreen,
  children,
}: {
  icon: IconName;
  title: string;
  /** Whether it is all of the screen, so that its title is the heading. */
  isWholeScreen?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      {isWholeScreen ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
      {children}
    </div>
  );
}
