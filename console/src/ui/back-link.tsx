import type { ComponentChildren } from 'preact';
import { Icon } from './icons/icon.tsx';

/** Leads back to the list. If the user came from there, it has the filters and the page of then. */
export function BackLink({ href, children }: { href: string; children: ComponentChildren }) {
  // A browser without the Navigation API does not say where the user came from.
  const { navigation } = globalThis;
  const before = navigation?.entries()[(navigation.currentEntry?.index ?? 0) - 1]?.url;
  const from = before == null ? undefined : new URL(before);
  const target =
    from && from.pathname === href.split('?')[0] ? `${from.pathname}${from.search}` : href;
  return (
    <a class="back-link" href={target}>
      <Icon name="chevron-left" size={16} />
      {children}
    </a>
  );
}
