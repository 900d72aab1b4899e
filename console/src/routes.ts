// The one table of screens. A screen that the key may not use is not in the navigation.

import type { ComponentType } from 'preact';
import type { Scope } from './api/session.ts';
import { loadMore } from './load-more.ts';
import { OverviewScreen } from './screens/overview/overview-screen.tsx';
import type { IconName } from './ui/icons/icon-paths.ts';
import type { navigationWords } from './words/shell/navigation.ts';

export type ScreenName = keyof typeof navigationWords.titles;

export interface Route {
  name: ScreenName;
  /** Below /console; `{id}` stands for a part of the path that the screen reads. */
  path: string;
  scope: Scope;
  /** Where it stands in the sidebar; absent for screens that others lead to. */
  group?: 'store' | 'account' | 'service';
  icon?: IconName;
  /** The letter behind `g`. */
  letter?: string;
  load: () => ComponentType<ScreenProps> | Promise<ComponentType<ScreenProps>>;
}

export interface ScreenProps {
  /** What stands for `{id}` in the path. */
  id?: string;
}

/** A screen that is not needed for the first one. All of these are one file, which is loaded while nothing else happens. */
function later(name: ScreenOf<typeof import('./more.ts')>): Route['load'] {
  return () => loadMore().then((more) => more[name]);
}

type ScreenOf<Module> = Extract<keyof Module, `${string}Screen`>;

export const routes: readonly Route[] = [
  {
    name: 'overview',
    path: '',
    scope: 'read',
    group: 'store',
    icon: 'layout-dashboard',
    letter: 'h',
    load: () => OverviewScreen,
  },
  {
    name: 'inventory',
    path: '/inventory',
    scope: 'read',
    group: 'store',
    icon: 'package',
    letter: 'i',
    load: later('InventoryScreen'),
  },
  {
    name: 'orders',
    path: '/orders',
    scope: 'read',
    group: 'store',
    icon: 'shopping-cart',
    letter: 'o',
    load: later('OrdersScreen'),
  },
  {
    name: 'newOrder',
    path: '/orders/new',
    scope: 'write',
    load: later('NewOrderScreen'),
  },
  {
    name: 'order',
    path: '/orders/{id}',
    scope: 'read',
    load: later('OrderScreen'),
  },
  {
    name: 'catalogue',
    path: '/catalogue',
    scope: 'read',
    group: 'store',
    icon: 'paw-print',
    letter: 'c',
    load: later('CatalogueScreen'),
  },
  {
    name: 'categories',
    path: '/catalogue/categories',
    scope: 'read',
    load: later('CategoriesScreen'),
  },
  {
    name: 'ledger',
    path: '/ledger',
    scope: 'read',
    group: 'store',
    icon: 'scroll-text',
    letter: 'l',
    load: later('LedgerScreen'),
  },
  {
    name: 'keys',
    path: '/keys',
    scope: 'read',
    group: 'account',
    icon: 'key-round',
    letter: 'k',
    load: later('KeysScreen'),
  },
  {
    name: 'usage',
    path: '/usage',
    scope: 'read',
    group: 'account',
    icon: 'gauge',
    letter: 'u',
    load: later('UsageScreen'),
  },
  {
    name: 'plan',
    path: '/plan',
    scope: 'read',
    group: 'account',
    icon: 'credit-card',
    letter: 'p',
    load: later('PlanScreen'),
  },
  {
    name: 'events',
    path: '/events',
    scope: 'read',
    group: 'account',
    icon: 'activity',
    letter: 'e',
    load: later('EventsScreen'),
  },
  {
    name: 'webhooks',
    path: '/webhooks',
    scope: 'read',
    group: 'account',
    icon: 'webhook',
    letter: 'w',
    load: later('WebhooksScreen'),
  },
  {
    name: 'webhook',
    path: '/webhooks/{id}',
    scope: 'read',
    load: later('WebhookScreen'),
  },
  {
    name: 'workspaces',
    path: '/workspaces',
    scope: 'operate',
    group: 'service',
    icon: 'building-2',
    letter: 's',
    load: later('WorkspacesScreen'),
  },
  {
    name: 'workspace',
    path: '/workspaces/{id}',
    scope: 'operate',
    load: later('WorkspaceScreen'),
  },
  {
    name: 'bans',
    path: '/bans',
    scope: 'operate',
    group: 'service',
    icon: 'shield-off',
    letter: 'b',
    load: later('BansScreen'),
  },
];

/** The route of a path, and its id. */
export function findRoute(path: string): { route: Route; id: string | undefined } | undefined {
  for (const route of routes) {
    const pattern = new RegExp(`^${route.path.replace('{id}', '([^/]+)')}$`);
    const match = pattern.exec(path);
    if (match) return { route, id: match[1] && decodeURIComponent(match[1]) };
  }
  return undefined;
}
