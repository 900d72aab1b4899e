// The one table of screens; screen-of.ts has their components. A screen that the key may not use is not in the navigation.

import type { Scope } from './api/session.ts';
import type { IconName } from './ui/icons/icon-paths.ts';
import type { navigationWords } from './words/shell/navigation.ts';

export type ScreenName = keyof typeof navigationWords.titles;

export interface Route {
  name: ScreenName;
  /** Below /console; `{id}` stands for a part of the path that the screen reads, `{number}` for one that is a number. */
  path: string;
  scope: Scope;
  /** Where it stands in the sidebar; absent for screens that others lead to. */
  group?: 'store' | 'account' | 'service';
  icon?: IconName;
  /** The letter behind `g`. */
  letter?: string;
}

export interface ScreenProps {
  /** What stands for `{id}` or `{number}` in the path. */
  id?: string;
}

export const routes: readonly Route[] = [
  {
    name: 'overview',
    path: '',
    scope: 'read',
    group: 'store',
    icon: 'layout-dashboard',
    letter: 'h',
  },
  {
    name: 'inventory',
    path: '/inventory',
    scope: 'read',
    group: 'store',
    icon: 'package',
    letter: 'i',
  },
  { name: 'count', path: '/inventory/count', scope: 'write' },
  {
    name: 'orders',
    path: '/orders',
    scope: 'read',
    group: 'store',
    icon: 'shopping-cart',
    letter: 'o',
  },
  { name: 'newOrder', path: '/orders/new', scope: 'write' },
  { name: 'order', path: '/orders/{id}', scope: 'read' },
  {
    name: 'catalogue',
    path: '/catalogue',
    scope: 'read',
    group: 'store',
    icon: 'paw-print',
    letter: 'c',
  },
  { name: 'categories', path: '/catalogue/categories', scope: 'read' },
  {
    name: 'ledger',
    path: '/ledger',
    scope: 'read',
    group: 'store',
    icon: 'scroll-text',
    letter: 'l',
  },
  {
    name: 'keys',
    path: '/keys',
    scope: 'read',
    group: 'account',
    icon: 'key-round',
    letter: 'k',
  },
  {
    name: 'usage',
    path: '/usage',
    scope: 'read',
    group: 'account',
    icon: 'gauge',
    letter: 'u',
  },
  {
    name: 'plan',
    path: '/plan',
    scope: 'read',
    group: 'account',
    icon: 'credit-card',
    letter: 'p',
  },
  {
    name: 'requests',
    path: '/requests',
    scope: 'read',
    group: 'account',
    icon: 'arrow-left-right',
    letter: 'r',
  },
  { name: 'request', path: '/requests/{id}', scope: 'read' },
  {
    name: 'events',
    path: '/events',
    scope: 'read',
    group: 'account',
    icon: 'activity',
    letter: 'e',
  },
  { name: 'event', path: '/events/{id}', scope: 'read' },
  {
    name: 'webhooks',
    path: '/webhooks',
    scope: 'read',
    group: 'account',
    icon: 'webhook',
    letter: 'w',
  },
  { name: 'webhook', path: '/webhooks/{number}', scope: 'read' },
  {
    name: 'audit',
    path: '/audit',
    scope: 'manage',
    group: 'account',
    icon: 'history',
    letter: 'a',
  },
  {
    name: 'settings',
    path: '/settings',
    scope: 'read',
    group: 'account',
    icon: 'settings-2',
    letter: 't',
  },
  {
    name: 'service',
    path: '/service',
    scope: 'operate',
    group: 'service',
    icon: 'server',
    letter: 'n',
  },
  {
    name: 'workspaces',
    path: '/workspaces',
    scope: 'operate',
    group: 'service',
    icon: 'building-2',
    letter: 's',
  },
  { name: 'workspace', path: '/workspaces/{number}', scope: 'operate' },
  {
    name: 'allKeys',
    path: '/all-keys',
    scope: 'operate',
    group: 'service',
    icon: 'key-round',
  },
  {
    name: 'bans',
    path: '/bans',
    scope: 'operate',
    group: 'service',
    icon: 'shield-off',
    letter: 'b',
  },
];

/** The route of a path, and its id. */
export function findRoute(path: string): { route: Route; id: string | undefined } | undefined {
  for (const route of routes) {
    const wanted = route.path.replace('{id}', '([^/]+)').replace('{number}', '([1-9]\\d{0,14})');
    const pattern = new RegExp(`^${wanted}$`);
    const match = pattern.exec(path);
    if (match) return { route, id: match[1] && decodeURIComponent(match[1]) };
  }
  return undefined;
}
