import { expect, it } from 'vitest';
import { parseValkeyUrl } from '../../src/lib/network/valkey-url.ts';

const ANONYMOUS = { username: undefined, password: undefined };

it.each([
  ['redis://a', { topology: 'server', addresses: [{ host: 'a', port: 6379 }], database: 0 }],
  ['redis://[::1]:7000/3', { addresses: [{ host: '::1', port: 7000 }], database: 3 }],
  ['REDISS://a', { topology: 'server', isEncrypted: true }],
  ['redis://u:p%40:x@a', { credentials: { username: 'u', password: 'p@:x' } }],
  ['redis://u@a', { credentials: { username: 'u', password: undefined } }],
  [
    'redis+sentinel://a:1,b/main/2',
    {
      topology: 'sentinel',
      addresses: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26_379 },
      ],
      masterName: 'main',
      database: 2,
      credentials: ANONYMOUS,
      sentinelCredentials: ANONYMOUS,
    },
  ],
  ['redis+sentinel://a/main', { masterName: 'main', database: 0 }],
  [
    'rediss+sentinel://:p1@a/main?sentinelUsername=s&sentinelPassword=p%262',
    {
      isEncrypted: true,
      credentials: { username: undefined, password: 'p1' },
      sentinelCredentials: { username: 's', password: 'p&2' },
    },
  ],
  [
    'redis+cluster://a,b:7000',
    {
      topology: 'cluster',
      addresses: [
        { host: 'a', port: 6379 },
        { host: 'b', port: 7000 },
      ],
    },
  ],
])('reads %s', (url, expected) => {
  expect(parseValkeyUrl(url)).toMatchObject(expected);
});
