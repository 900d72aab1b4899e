import { expect, test } from 'vitest';
import { findRoute } from '../src/routes.ts';

test('a path with something else than a number in its place leads nowhere', () => {
  const paths = [
    '/webhooks/12',
    '/workspaces/3',
    '/webhooks/abc',
    '/workspaces/0',
    '/workspaces/1e3',
  ];
  expect(paths.map((path) => findRoute(path)?.id)).toEqual([
    '12',
    '3',
    ...Array(3).fill(undefined),
  ]);
  expect(findRoute('/requests/a%20b')).toMatchObject({ route: { name: 'request' }, id: 'a b' });
});
