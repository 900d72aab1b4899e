import type { PreparedStore } from './store.ts';

export interface Scenario {
  name: string;
  /** The goal as ratio to bare node:http, if there is one. */
  goal?: number | undefined;
  status: number;
  request: (n: number) => string;
}

const goals: Record<string, { sqlite: number; postgres: number }> = {
  'read 20 by ids': { sqlite: 6, postgres: 6 },
  'ledger, 20 rows of one cause': { sqlite: 4, postgres: 4 },
  'poll, nothing new': { sqlite: 2.5, postgres: 4 },
  'read 100 events': { sqlite: 6, postgres: 6 },
};

/** Most reads of a shop are for a few popular pets. `read one pet` reads each pet once instead. */
const POPULAR = 1_000;
/** A key reads the feed at most 60 times a minute, and two scenarios do it. */
const READS_OF_KEY = 25;

export function scenariosOf(
  {
    key,
    refusedKey,
    eventKeys,
    pets,
    hasOrderDetails,
  }: Pick<PreparedStore, 'key' | 'refusedKey' | 'eventKeys' | 'pets' | 'hasOrderDetails'>,
  engine: 'sqlite' | 'postgres',
): Scenario[] {
  const pick = (n: number) => 1 + ((n * 7919) % pets);
  const get = (path: string, used = key) => head('GET', path, used);
  const post = (path: string, body: string, headers = '') =>
    `${head('POST', path, key).slice(0, -2)}${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const reader = (n: number) => eventKeys[Math.floor(n / READS_OF_KEY) % eventKeys.length];
  // A commit before the feed prepares no keys for it.
  const eventScenarios: Scenario[] = [
    {
      name: 'poll, nothing new',
      status: 200,
      request: (n) => get('/v1/events?after=latest', reader(n)),
    },
    {
      name: 'read 100 events',
      status: 200,
      request: (n) => {
        const after = (n * 7919) % pets;
        return get(`/v1/events?after=${after}`, reader(n));
      },
    },
  ];
  const detailedOrder: Scenario = {
    name: 'order with every field',
    status: 201,
    request: (n) => {
      const order = {
        petId: pick(n),
        quantity: 1,
        shipDate: '2030-01-01T10:00:00Z',
        reference: `WEB-${n}`,
        customer: `Customer ${n % POPULAR}`,
        note: 'Leave it at the door',
        metadata: { channel: 'web', till: '2', campaign: 'spring' },
      };
      return post('/v1/store/orders', JSON.stringify(order));
    },
  };
  const scenarios: Scenario[] = [
    { name: 'read one pet', status: 200, request: (n) => get(`/v1/pets/${pick(n)}`) },
    {
      name: 'read a popular pet',
      status: 200,
      request: (n) => get(`/v1/pets/${1 + (n % POPULAR)}`),
    },
    {
      name: 'read 20 by ids',
      status: 200,
      request: (n) => {
        // 23 and the number of pets have no common factor, so the lists of ids differ.
        const ids = Array.from({ length: 20 }, (_, i) => `id=${pick(n * 23 + i)}`);
        return get(`/v1/pets?${ids.join('&')}`);
      },
    },
    { name: 'list 20', status: 200, request: () => get('/v1/pets') },
    {
      name: 'ledger, 20 rows of one cause',
      status: 200,
      request: () => get('/v1/movements?cause=created'),
    },
    { name: 'filter by status', status: 200, request: () => get('/v1/pets?status=available') },
    {
      name: 'create a pet',
      status: 201,
      request: (n) => post('/v1/pets', `{"name":"New ${n}","categoryId":1}`),
    },
    {
      name: 'place an order',
      status: 201,
      request: (n) => post('/v1/store/orders', `{"petId":${pick(n)},"quantity":1}`),
    },
    {
      name: 'create a key, which is audited',
      status: 201,
      request: (n) => post('/v1/keys', `{"name":"key ${n}","scopes":["read"]}`),
    },
    {
      name: 'order with an Idempotency-Key',
      status: 201,
      request: (n) => {
        const body = `{"petId":${pick(n)},"quantity":1}`;
        return post('/v1/store/orders', body, `Idempotency-Key: order-${n}\r\n`);
      },
    },
    {
      name: 'refused by limit',
      status: 429,
      request: () => get('/v1/pets/1', refusedKey),
    },
    ...(eventKeys ? eventScenarios : []),
    // Nor does an earlier commit know these fields.
    ...(hasOrderDetails ? [detailedOrder] : []),
  ];
  return scenarios.map((scenario) => ({ ...scenario, goal: goals[scenario.name]?.[engine] }));
}

function head(method: string, path: string, key: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}
