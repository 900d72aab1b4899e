import { useState } from 'preact/hooks';
import { address, BASE, pathOf } from '../router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons/icon.tsx';
import type { IconName } from '../ui/icons/icon-paths.ts';
import { navigationWords as words } from '../words/shell/navigation.ts';
import { NavGroups } from './sidebar.tsx';

const tabs: readonly (readonly [name: keyof typeof words.tabs, path: string, icon: IconName])[] = [
  ['overview', '', 'layout-dashboard'],
  ['inventory', '/inventory', 'package'],
  ['orders', '/orders', 'shopping-cart'],
  ['usage', '/usage', 'gauge'],
];

/** The navigation of a phone: four screens, and the rest behind "More". */
export function TabBar() {
  const [isOpen, setOpen] = useState(false);
  const path = pathOf(address.value);
  const isHere = (to: string) => (to === '' ? path === '' : path.startsWith(to));
  return (
    <nav class="tabs" aria-label={words.main}>
      {tabs.map(([name, to, icon]) => (
        <a key={name} href={`${BASE}${to}`} aria-current={isHere(to) ? 'page' : undefined}>
          <Icon name={icon} size={22} />
          <span>{words.tabs[name]}</span>
        </a>
      ))}
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
        aria-current={tabs.some(([, to]) => isHere(to)) ? undefined : true}
      >
        <Icon name="menu" size={22} />
        <span>{words.tabs.more}</span>
      </button>
      {isOpen && (
        <Dialog title={words.tabs.more} onClose={() => setOpen(false)}>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: a click on a link inside, by mouse or by Enter. */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the links inside are the controls. */}
          <div class="more-menu" onClick={() => setOpen(false)}>
            <NavGroups />
            <a class="button quiet" href="/docs" target="_blank" rel="noreferrer">
              <Icon name="book-open" />
              <span>{words.apiReference}</span>
            </a>
          </div>
        </Dialog>
      )}
    </nav>
  );
}
