import { describe, expect, it } from 'vitest';
import { InvalidConfig, readConfig, settings } from '../src/config.ts';
import { generateApiKey } from '../src/lib/api-key.ts';

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (err) {
    if (err instanceof InvalidConfig) return err.faults;
    throw err;
  }
  return [];
}

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

describe('the settings', () => {
  it('have the defaults that the contract names', () => {
    expect(readConfig({})).toEqual({
      PETSTORE_HOST: '127.0.0.1',
      PETSTORE_PORT: 8080,
      PETSTORE_DATA_DIR: 'data',
      PETSTORE_DATABASE_URL: undefined,
      PETSTORE_DATABASE_POOLING: 'session',
      PETSTORE_DATABASE_CONNECTIONS: 18,
      PETSTORE_VALKEY_URL: undefined,
      PETSTORE_BOOTSTRAP_KEY: undefined,
      PETSTORE_SIGNUP: false,
      PETSTORE_SELF_SERVICE_PLANS: ['free', 'pro', 'business'],
      PETSTORE_CONSOLE: true,
      PETSTORE_LOG_LEVEL: 'info',
      PETSTORE_TRUST_PROXY: [],
      PETSTORE_CORS_ORIGINS: [],
      PETSTORE_ADDRESS_PER_MINUTE: 60,
      PETSTORE_BAN_AFTER: 30,
      PETSTORE_BAN_LADDER_SECONDS: [60, 300, 1800, 7200, 86_400],
      PETSTORE_REQUEST_LOG_DAYS: 7,
      PETSTORE_AUDIT_DAYS: 730,
      PETSTORE_AUDIT_ADDRESS_DAYS: 90,
      PETSTORE_EVENTS_DAYS: 30,
      PETSTORE_SERVER_TIMING: false,
      PETSTORE_EVENT_STREAMS_MAX: 1_000,
      PETSTORE_WEBHOOKS: true,
      PETSTORE_WEBHOOK_ALLOW: [],
      PETSTORE_WEBHOOK_VERIFY: 'ping',
      PETSTORE_SECRET_KEY: [],
    });
  });

  it.each([
    ['PETSTORE_HOST', '::1', '::1'],
    ['PETSTORE_PORT', ' 0 ', 0],
    ['PETSTORE_PORT', '65535', 65_535],
    ['PETSTORE_DATABASE_URL', 'postgres://a:b@c:5432/d', 'postgres://a:b@c:5432/d'],
    ['PETSTORE_DATABASE_URL', 'postgres://a:50%@c/d', 'postgres://a:50%@c/d'],
    [
      'PETSTORE_DATABASE_URL',
      'postgres://a@c/d?sslmode=verify-full',
      'postgres://a@c/d?sslmode=verify-full',
    ],
    ['PETSTORE_DATABASE_URL', 'postgres://c/d?sslmode=disable', 'postgres://c/d?sslmode=disable'],
    ['PETSTORE_VALKEY_URL', 'rediss://a:6379', 'rediss://a:6379'],
    ['PETSTORE_VALKEY_URL', 'redis://:50%25off@a', 'redis://:50%25off@a'],
    ['PETSTORE_VALKEY_URL', 'redis://a/', 'redis://a/'],
    ['PETSTORE_VALKEY_URL', 'redis://a/15', 'redis://a/15'],
    ...[
      'redis://[::1]:6379/1',
      'redis+sentinel://a:26379,b:26379/mymaster/0',
      'redis+sentinel://a/mymaster',
      'rediss+sentinel://u:p%40@a,b,c/main?sentinelUsername=s&sentinelPassword=t',
      'redis+cluster://a:6379,b:6379',
      'rediss+cluster://:p@a',
    ].map((url): [string, string, string] => ['PETSTORE_VALKEY_URL', url, url]),
    ['PETSTORE_SIGNUP', 'open', true],
    ['PETSTORE_CONSOLE', 'off', false],
    ['PETSTORE_TRUST_PROXY', '10.0.0.1, fd00::/8', ['10.0.0.1', 'fd00::/8']],
    ['PETSTORE_TRUST_PROXY', '::ffff:10.0.0.0/104', ['::ffff:10.0.0.0/104']],
    ['PETSTORE_TRUST_PROXY', '::ffff:10.0.0.1', ['::ffff:10.0.0.1']],
    [
      'PETSTORE_CORS_ORIGINS',
      'https://a.example,http://b:3000',
      ['https://a.example', 'http://b:3000'],
    ],
    ['PETSTORE_BAN_LADDER_SECONDS', '5', [5]],
    ['PETSTORE_WEBHOOKS', 'off', false],
    [
      'PETSTORE_WEBHOOK_ALLOW',
      '127.0.0.0/8, ::1,hooks.internal',
      ['127.0.0.0/8', '::1', 'hooks.internal'],
    ],
    ['PETSTORE_WEBHOOK_ALLOW', '0.0.0.0/0, ::/0', ['0.0.0.0/0', '::/0']],
    ['PETSTORE_WEBHOOK_ALLOW', '::ffff:10.0.0.0/104', ['::ffff:10.0.0.0/104']],
    ['PETSTORE_WEBHOOK_VERIFY', 'challenge', 'challenge'],
    [
      'PETSTORE_SECRET_KEY',
      `${SECRET_KEY},${SECRET_KEY}`,
      [Buffer.alloc(32, 7), Buffer.alloc(32, 7)],
    ],
  ])('take %s=%s', (name, text, value) => {
    expect(readConfig({ [name]: text })).toMatchObject({ [name]: value });
  });

  it.each([
    ['PETSTORE_HOST', ''],
    ['PETSTORE_HOST', 'a b'],
    ['PETSTORE_PORT', ''],
    ['PETSTORE_PORT', '-1'],
    ['PETSTORE_PORT', '65536'],
    ['PETSTORE_PORT', '8e3'],
    ['PETSTORE_DATA_DIR', ''],
    ['PETSTORE_DATABASE_URL', 'mysql://a/b'],
    ['PETSTORE_DATABASE_URL', 'nonsense'],
    ['PETSTORE_DATABASE_URL', 'postgres:store'],
    ['PETSTORE_DATABASE_URL', 'postgres:/a:b@c/d'],
    ['PETSTORE_DATABASE_URL', 'postgres://a:%ff@b/c'],
    ['PETSTORE_DATABASE_URL', 'postgres://a:b@c/%ff'],
    ['PETSTORE_DATABASE_URL', 'postgres://a@b/c?sslmode=banana'],
    ['PETSTORE_DATABASE_URL', 'postgres://a@b/c?sslmode='],
    ['PETSTORE_VALKEY_URL', 'http://a'],
    ['PETSTORE_VALKEY_URL', 'redis:valkey'],
    ['PETSTORE_VALKEY_URL', 'redis:/valkey'],
    ['PETSTORE_VALKEY_URL', 'redis://:50%off@valkey'],
    ['PETSTORE_VALKEY_URL', 'redis://%ff:secret@valkey'],
    ['PETSTORE_VALKEY_URL', 'redis://valkey/petstore'],
    ['PETSTORE_VALKEY_URL', 'redis://valkey/-1'],
    ['PETSTORE_VALKEY_URL', 'redis://a:6379,b:6379'],
    ['PETSTORE_VALKEY_URL', 'redis+sentinel://a:26379'],
    ['PETSTORE_VALKEY_URL', 'redis+sentinel://a:26379/'],
    ['PETSTORE_VALKEY_URL', 'redis+sentinel://a/main?sentinelPasword=x'],
    ['PETSTORE_VALKEY_URL', 'redis+cluster://a/1'],
    ['PETSTORE_VALKEY_URL', 'redis+cluster://a,,b'],
    ['PETSTORE_VALKEY_URL', 'redis+cluster://a:0'],
    ['PETSTORE_VALKEY_URL', 'redis+ring://a'],
    ['PETSTORE_BOOTSTRAP_KEY', 'psk_wrong'],
    ['PETSTORE_SIGNUP', 'true'],
    ['PETSTORE_CONSOLE', 'no'],
    ['PETSTORE_LOG_LEVEL', 'verbose'],
    ['PETSTORE_TRUST_PROXY', 'everyone'],
    ['PETSTORE_TRUST_PROXY', '10.0.0.0/33'],
    ['PETSTORE_TRUST_PROXY', '10.0.0.1,'],
    ['PETSTORE_TRUST_PROXY', '0.0.0.0/0'],
    ['PETSTORE_TRUST_PROXY', '10.0.0.1, ::/0'],
    ['PETSTORE_TRUST_PROXY', '::ffff:0.0.0.0/96'],
    ['PETSTORE_TRUST_PROXY', '0:0:0:0:0:FFFF:0:0/096'],
    ['PETSTORE_TRUST_PROXY', '::ffff:10.0.0.0/95'],
    ['PETSTORE_CORS_ORIGINS', '*'],
    ['PETSTORE_CORS_ORIGINS', 'null'],
    ['PETSTORE_CORS_ORIGINS', 'https://a.example/'],
    ['PETSTORE_CORS_ORIGINS', 'https://A.example'],
    ['PETSTORE_CORS_ORIGINS', 'ftp://a.example'],
    ['PETSTORE_ADDRESS_PER_MINUTE', '0'],
    ['PETSTORE_BAN_AFTER', '0'],
    ['PETSTORE_BAN_LADDER_SECONDS', ''],
    ['PETSTORE_REQUEST_LOG_DAYS', '-1'],
    ['PETSTORE_REQUEST_LOG_DAYS', '366'],
    ['PETSTORE_AUDIT_DAYS', '0'],
    ['PETSTORE_AUDIT_ADDRESS_DAYS', 'never'],
    ['PETSTORE_EVENTS_DAYS', '0'],
    ['PETSTORE_EVENTS_DAYS', '366'],
    ['PETSTORE_EVENT_STREAMS_MAX', '-1'],
    ['PETSTORE_BAN_LADDER_SECONDS', '60,x'],
    ['PETSTORE_WEBHOOKS', 'yes'],
    ['PETSTORE_WEBHOOK_ALLOW', '10.0.0.0/33'],
    ['PETSTORE_WEBHOOK_ALLOW', '10.0.0'],
    ['PETSTORE_WEBHOOK_ALLOW', '::ffff:10.0.0.0/95'],
    ['PETSTORE_WEBHOOK_ALLOW', 'https://hooks.internal'],
    ['PETSTORE_WEBHOOK_ALLOW', 'a,,b'],
    ['PETSTORE_WEBHOOK_VERIFY', 'no'],
    ['PETSTORE_SECRET_KEY', 'short'],
    ['PETSTORE_SECRET_KEY', `${SECRET_KEY},`],
    ['PETSTORE_COLOUR', 'red'],
  ])('refuse %s=%s in a line that names it', (name, text) => {
    const faults = faultsOf({ [name]: text });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name} [^\\n]+$`));
  });

  it.each([
    ['PETSTORE_DATABASE_URL', 'postgres://a@b:99999/c', /port/],
    ['PETSTORE_DATABASE_URL', 'postgres://a@/c', /host/],
    ['PETSTORE_VALKEY_URL', 'redis://a:0x50', /port/],
    ['PETSTORE_DATABASE_URL', 'postgres://a@b/c?sslmode=banana', /sslmode is one of disable, /],
  ])('say what is wrong with %s=%s', (name, text, reason) => {
    expect(faultsOf({ [name]: text })).toEqual([expect.stringMatching(reason)]);
  });

  it('are all looked at before any is refused', () => {
    const environment = Object.fromEntries(Object.keys(settings).map((name) => [name, '\0']));
    expect(faultsOf(environment)).toHaveLength(Object.keys(settings).length);
  });

  it('never show a secret in a fault', () => {
    const { key } = generateApiKey();
    const faults = faultsOf({
      PETSTORE_BOOTSTRAP_KEY: `${key}x`,
      PETSTORE_DATABASE_URL: 'mysql://root:hunter2@db/store',
      PETSTORE_VALKEY_URL: 'http://:hunter2@valkey',
    });
    expect(faults).toHaveLength(3);
    expect(faults.join()).not.toMatch(/hunter2|psk_\w{5}/);
  });

  it('leave other programs’ variables alone', () => {
    expect(faultsOf({ PATH: '/bin', PETSTORE: 'x', HOME: '/' })).toEqual([]);
  });

  it('ignores the variables of the commands over the API', () => {
    const variables = { PETSTORE_API_KEY: 'x', PETSTORE_BASE_URL: 'x', PETSTORE_PROFILE: 'x' };
    expect(readConfig(variables)).toEqual(readConfig({}));
  });
});
