// All settings: default, parser, meaning. The table in docs/running.md is generated from here.

import { type PlanId, planIds } from './domain/plan.ts';
import { isWellFormedApiKey } from './lib/api-key.ts';
import { urlsOfHosts } from './lib/network/host-list.ts';
import { parseValkeyUrl } from './lib/network/valkey-url.ts';
import { parseSecretKey } from './lib/secret-key-file.ts';
import {
  expect,
  Fault,
  integer,
  isAllowedTarget,
  isInteger,
  isOrigin,
  isProxyRange,
  list,
  oneOf,
  optionalUrl,
} from './setting-parsers.ts';

export interface Setting<T = unknown> {
  default: string;
  description: string;
  /** Returns the value, or throws a Fault that says what is expected. */
  parse: (text: string) => T;
  isSecret?: boolean;
}

/** Everything that is wrong with the environment, one line each. */
export class InvalidConfig extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

const BAN_SECONDS_MAX = 31_536_000;
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

export const settings = {
  PETSTORE_HOST: {
    default: '127.0.0.1',
    description: 'Address to listen on; `0.0.0.0` for every interface.',
    parse: (text: string) => expect(text, /^[A-Za-z0-9.:_-]+$/, 'a host name or an address'),
  },
  PETSTORE_PORT: {
    default: '8080',
    description: 'Port to listen on; 0 picks a free one.',
    parse: (text: string) => integer(text, 0, 65_535),
  },
  PETSTORE_DATA_DIR: {
    default: 'data',
    description: 'Folder of the SQLite database; created with mode 0700 when it is missing.',
    parse: (text: string) => expect(text, /^[^\0]+$/, 'a folder'),
  },
  PETSTORE_DATABASE_URL: {
    default: '',
    description:
      'Unset: SQLite in the data folder. `postgres://…`: PostgreSQL; `postgres://user@a,b:5433/petstore` names several servers, of which the primary is used.',
    isSecret: true,
    parse: (text: string) => {
      const urls = text === '' ? [] : urlsOfHosts(text);
      for (const url of urls) optionalUrl(url, ['postgres:', 'postgresql:']);
      const given = new URL(urls[0] ?? 'postgres:').searchParams.getAll('sslmode');
      // The driver takes any other text for verify-full.
      if (!given.every((mode) => sslModes.includes(mode))) {
        throw new Fault(`a URL whose sslmode is one of ${sslModes.join(', ')}`);
      }
      return text === '' ? undefined : text;
    },
  },
  PETSTORE_DATABASE_POOLING: {
    default: 'session',
    description:
      '`transaction` behind a pooler that shares connections between transactions, such as PgBouncer with `pool_mode = transaction`.',
    parse: (text: string) => oneOf(text, ['session', 'transaction'] as const),
  },
  PETSTORE_DATABASE_CONNECTIONS: {
    default: '18',
    description: 'How many connections to PostgreSQL this node opens at most.',
    parse: (text: string) => integer(text, 6, 1_000),
  },
  PETSTORE_VALKEY_URL: {
    default: '',
    description:
      'Unset: limits are counted in memory, for one node. Several nodes share Valkey or Redis: `redis://host:6379/0`, `redis+sentinel://host:26379,host:26379/name/0` or `redis+cluster://host:6379,host:6379`; `rediss…` with TLS.',
    isSecret: true,
    parse: (text: string) => {
      if (text === '') return undefined;
      try {
        parseValkeyUrl(text);
      } catch (err) {
        throw new Fault((err as Error).message);
      }
      return text;
    },
  },
  PETSTORE_BOOTSTRAP_KEY: {
    default: '',
    description: 'The first key of an empty database, for unattended installs.',
    isSecret: true,
    parse: (text: string) => {
      if (text !== '' && !isWellFormedApiKey(text)) {
        throw new Fault('a well-formed key: psk_ and 50 letters and digits, checksum included');
      }
      return text === '' ? undefined : text;
    },
  },
  PETSTORE_SIGNUP: {
    default: 'closed',
    description: '`open` lets anyone create a workspace on plan Free.',
    parse: (text: string) => oneOf(text, ['closed', 'open']) === 'open',
  },
  PETSTORE_SELF_SERVICE_PLANS: {
    default: 'free,pro,business',
    description: 'Plans, separated by commas, between which an owner may change.',
    parse: (text: string) =>
      list(
        text,
        (item) => planIds.some((id) => id === item),
        `plans of ${planIds.join(', ')}`,
      ) as PlanId[],
  },
  PETSTORE_CONSOLE: {
    default: 'on',
    description: '`off`: no console is served, and no session is opened or accepted.',
    parse: (text: string) => oneOf(text, ['on', 'off']) === 'on',
  },
  PETSTORE_LOG_LEVEL: {
    default: 'info',
    description: `How much to log: ${logLevels.join(', ')}.`,
    parse: (text: string) => oneOf(text, logLevels),
  },
  PETSTORE_TRUST_PROXY: {
    default: '',
    description:
      'Addresses of trusted proxies, separated by commas. Only their X-Forwarded-For, -Proto and -Host are used.',
    parse: (text: string) =>
      list(text, isProxyRange, 'addresses like 10.0.0.1 or 10.0.0.0/8, and not all of them'),
  },
  PETSTORE_CORS_ORIGINS: {
    default: '',
    description: 'Origins, separated by commas, whose web pages may call the service.',
    parse: (text: string) => list(text, isOrigin, 'origins like https://shop.example'),
  },
  PETSTORE_ADDRESS_PER_MINUTE: {
    default: '60',
    description: 'Requests without a valid key that one client address may send in a minute.',
    parse: (text: string) => integer(text, 1, 1_000_000_000),
  },
  PETSTORE_BAN_AFTER: {
    default: '30',
    description: 'Refusals of one key within 60 s that ban it.',
    parse: (text: string) => integer(text, 1, 1_000_000),
  },
  PETSTORE_BAN_LADDER_SECONDS: {
    default: '60,300,1800,7200,86400',
    description: 'How long the first, second, … ban of a key lasts; the last one repeats.',
    parse: (text: string) => {
      const steps = text.split(',').map((step) => step.trim());
      if (!steps.every((step) => isInteger(step, 1, BAN_SECONDS_MAX))) {
        throw new Fault(`numbers of seconds from 1 to ${BAN_SECONDS_MAX}, separated by commas`);
      }
      return steps.map(Number) as readonly number[];
    },
  },
  PETSTORE_REQUEST_LOG_DAYS: {
    default: '7',
    description:
      'How many days requests that wrote or were refused can be looked up; 0 keeps none, and GET /requests is 404.',
    parse: (text: string) => integer(text, 0, 365),
  },
  PETSTORE_AUDIT_DAYS: {
    default: '730',
    description: 'How many days the audit log is kept.',
    parse: (text: string) => integer(text, 1, 36_500),
  },
  PETSTORE_AUDIT_ADDRESS_DAYS: {
    default: '90',
    description: 'How many days the audit log keeps the addresses of clients.',
    parse: (text: string) => integer(text, 0, 36_500),
  },
  PETSTORE_EVENTS_DAYS: {
    default: '30',
    description: 'How many days the events of the feed are kept.',
    parse: (text: string) => integer(text, 1, 365),
  },
  PETSTORE_SERVER_TIMING: {
    default: 'off',
    description:
      '`on`: responses of the API say in `Server-Timing` how long they took. Any client sees it.',
    parse: (text: string) => oneOf(text, ['on', 'off']) === 'on',
  },
  PETSTORE_EVENT_STREAMS_MAX: {
    default: '1000',
    description: 'How many streams of events and waiting polls one node serves at once.',
    parse: (text: string) => integer(text, 0, 100_000),
  },
  PETSTORE_WEBHOOKS: {
    default: 'on',
    description: '`off`: this node delivers no events to webhooks; others may.',
    parse: (text: string) => oneOf(text, ['on', 'off']) === 'on',
  },
  PETSTORE_WEBHOOK_ALLOW: {
    default: '',
    description:
      'Addresses, ranges and host names, separated by commas, that webhooks may reach besides public addresses; for these, http and every port are allowed.',
    parse: (text: string) =>
      list(text, isAllowedTarget, 'addresses, ranges like 10.0.0.0/8 or host names'),
  },
  PETSTORE_WEBHOOK_VERIFY: {
    default: 'ping',
    description:
      'What a new URL must do before it gets events. `ping`: answer a ping. `challenge`: answer it with its challenge. `none`: nothing.',
    parse: (text: string) => oneOf(text, ['ping', 'challenge', 'none']),
  },
  PETSTORE_SECRET_KEY: {
    default: '',
    description:
      'Encrypts the secrets of webhooks: 32 bytes in base64 (`openssl rand -base64 32`). Separate several keys with commas: the first encrypts, all decrypt. Unset: `secret.key` in the data folder with SQLite, no webhooks with PostgreSQL.',
    isSecret: true,
    parse: (text: string) => {
      const keys = text === '' ? [] : text.split(',').map((key) => parseSecretKey(key.trim()));
      if (!keys.every((key) => key !== undefined)) {
        throw new Fault('32 bytes in base64, or several such keys separated by commas');
      }
      return keys as readonly Buffer[];
    },
  },
} satisfies Record<string, Setting>;

/** Variables of the command line over the API. They may be set where the service runs, and it ignores them. */
const clientVariables: readonly string[] = [
  'PETSTORE_API_KEY',
  'PETSTORE_BASE_URL',
  'PETSTORE_PROFILE',
];

type Settings = typeof settings;
export type Config = { readonly [K in keyof Settings]: ReturnType<Settings[K]['parse']> };

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const config: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, setting] of Object.entries(settings) as [string, Setting][]) {
    try {
      config[name] = setting.parse((environment[name] ?? setting.default).trim());
    } catch (err) {
      if (!(err instanceof Fault)) throw err;
      const shown = setting.isSecret ? 'it' : JSON.stringify(environment[name]);
      faults.push(`${name} must be ${err.message}; ${shown} is not`);
    }
  }
  for (const name of Object.keys(environment)) {
    const isKnown = Object.hasOwn(settings, name) || clientVariables.includes(name);
    if (name.startsWith('PETSTORE_') && !isKnown) {
      faults.push(`${name} is not a setting of this service: correct its name, or unset it`);
    }
  }
  if (faults.length > 0) throw new InvalidConfig(faults);
  return config as Config;
}
