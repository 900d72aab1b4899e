import type { Key } from '@petstore/client';
import { expect, test } from 'vitest';
import { isUsedToday, stateOf } from '../../src/screens/keys/key-state.ts';

const NOW = Date.parse('2026-11-15T00:30:00Z');
const key: Key = {
  id: 'k',
  name: 'till',
  hint: 'psk_k',
  scopes: ['read'],
  createdAt: '2026-11-01T00:00:00Z',
};

test('a key is revoked before it is expired, and ends soon in its last week; a session never ends soon', () => {
  expect(stateOf(key, NOW)).toBe('active');
  expect(stateOf({ ...key, expiresAt: '2026-11-20T00:00:00Z' }, NOW)).toBe('ending');
  expect(stateOf({ ...key, expiresAt: '2026-11-15T00:00:00Z' }, NOW)).toBe('expired');
  const session = { ...key, parentId: 'p', expiresAt: '2026-11-15T09:00:00Z' };
  expect(stateOf(session, NOW)).toBe('active');
  const ended = { ...key, expiresAt: '2026-11-14T00:00:00Z', revokedAt: '2026-11-13T00:00:00Z' };
  expect(stateOf(ended, NOW)).toBe('revoked');
  expect(stateOf(key, NOW, new Set(['k']))).toBe('banned');
});

test('a key counts as used today on its UTC day only', () => {
  expect(isUsedToday({ ...key, lastUsedAt: '2026-11-15T00:00:01Z' }, NOW)).toBe(true);
  expect(isUsedToday({ ...key, lastUsedAt: '2026-11-14T23:59:59Z' }, NOW)).toBe(false);
  expect(isUsedToday(key, NOW)).toBe(false);
});
