import { may, session } from '../api/session.ts';
import { address, BASE, pathOf } from '../router.ts';
import { type Route, routes } from '../routes.ts';
import { Icon } from '../ui/icons/icon.tsx';
import { navigationWords as words } from '../words/shell/navigation.ts';
import { Logo } from './logo.tsx';
import { Meter } from './meter.tsx';
import { counted, NavCount } from './nav-count.tsx';

export function Sidebar() {
  const { workspaceId, workspaceName } = session.value!;
  return (
    <aside class="sidebar">
      <a class="workspace" href={BASE}>
        <Logo />
        <span>
          <strong>{workspaceName}</strong>
          <span class="small muted">{words.workspaceNumber(workspaceId)}</span>
        </span>
      </a>
      <nav aria-label={words.main}>
        <NavGroups />
      </nav>
      {may('read') && <Meter />}
    </aside>
  );
}

/** All screens that the key may use, in their groups. */
export function NavGroups() {
  const groups = ['store', 'account', 'service'] as const;
  return groups.map((group) => {
    const items = routes.filter((route) => route.group === group && may(route.scope));
    if (items.length === 0) return null;
    return (
      <div key={group} class="nav-group">
        <h2>{words.groups[group]}</h2>
        <ul>
          {items.map((route) => (
            <NavItem key={route.name} route={route} />
          ))}
        </ul>
      </div>
    );
  });
}

function NavItem({ route }: { route: Route }) {
  const path = pathOf(address.value);
  const isHere =
    route.path === '' ? path === '' : path === route.path || path.startsWith(`${route.path}/`);
  const query = counted[route.name]?.();
  return (
    <li>
      <a href={`${BASE}${route.path}`} aria-current={isHere ? 'page' : undefined}>
        <Icon name={route.icon!} />
        <span>{words.titles[route.name]}</span>
        {query && <NavCount query={query} />}
      </a>
    </li>
  );
}
