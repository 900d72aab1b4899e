import { address, BASE, pathOf } from '../../router.ts';
import { catalogueWords as words } from '../../words/catalogue.ts';

const tabs = [
  ['/catalogue', words.tabs.pets],
  ['/catalogue/categories', words.tabs.categories],
] as const;

/** The two screens of the catalogue. */
export function CatalogueTabs() {
  const path = pathOf(address.value);
  return (
    <nav class="subnav" aria-label={words.tabsLabel}>
      {tabs.map(([to, text]) => (
        <a key={to} href={`${BASE}${to}`} aria-current={path === to ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
