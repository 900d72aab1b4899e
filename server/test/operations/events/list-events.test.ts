import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/operations/views/event.ts';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectDocumented, expectError } from '../../support/contract.ts';

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  // A minute could end while its requests are counted. An answer may be judged long after it was made.
  stopClock(app, Date.now() + 3_600_000);
  for (const name of ['a', 'b', 'c']) await createCategory(name);
});

beforeEach(() => app.clock.advance(61_000));

function createCategory(name: string) {
  return app.call('POST', '/v1/categories', { body: { name } });
}

function list(search = '', key = app.key) {
  return app.call<EventView[]>('GET', `/v1/events${search}`, { key });
}

const numbers = (events: readonly EventView[]) => events.map(({ sequence }) => sequence);

describe('listEvents', () => {
  it('begins with the oldest event and links to the place behind the last', async () => {
    const first = await list('?limit=2');
    expectDocumented('listEvents', first);
    expect(numbers(first.body)).toEqual([1, 2]);
    const cursor = first.headers.get('events-cursor')!;
    expect(cursor).toBe(first.body[1]!.id);
    expect(first.headers.get('link')).toBe(`</v1/events?limit=2&after=${cursor}>; rel="next"`);
    const next = /<(.*)>/.exec(first.headers.get('link')!)![1]!;
    const second = await app.call<EventView[]>('GET', next);
    expect(numbers(second.body)).toEqual([3, 4]);
  });

  it('replaces the cursor in its link, also one whose name was sent percent-encoded', async () => {
    const { headers } = await list('?af%74er=1&limit=2');
    expect(headers.get('link')).toMatch(/^<\/v1\/events\?limit=2&after=[\w]+>; rel="next"$/);
  });

  it('keeps the link at the end of the feed, which leads to what comes', async () => {
    const end = await list('?after=latest');
    expect(end.body).toEqual([]);
    const cursor = end.headers.get('events-cursor')!;
    expect(cursor).toMatch(/^evt_1_\d+_/);
    const again = await list(`?after=${cursor}`);
    expect(again.headers.get('events-cursor')).toBe(cursor);
    await createCategory('later');
    const next = /<(.*)>/.exec(again.headers.get('link')!)![1]!;
    const { body } = await app.call<EventView[]>('GET', next);
    expect(body).toMatchObject([
      { type: 'category.created', data: { category: { name: 'later' } } },
    ]);
  });

  it('takes a bare number and 0', async () => {
    expect(numbers((await list('?after=0&limit=1')).body)).toEqual([1]);
    expect(numbers((await list('?after=2&limit=1')).body)).toEqual([3]);
  });

  it('filters by types and kinds, and says how far it has looked', async () => {
    const keys = await list('?type=key.*&after=0');
    expect(new Set(keys.body.map(({ type }) => type))).toEqual(new Set(['key.created']));
    const cursor = keys.headers.get('events-cursor')!;
    expect(cursor).toBe((await list('?after=latest')).headers.get('events-cursor'));
    const two = await list('?type=key.created&type=category.created&limit=3');
    expect(numbers(two.body)).toEqual([1, 2, 3]);
    expect((await list('?type=*&limit=2')).body).toHaveLength(2);
    const none = await list('?type=ban.lifted');
    expect(none.body).toEqual([]);
    expect(none.headers.get('events-cursor')).toBe(cursor);
  });

  it.each([
    ['after=', 'after'],
    ['after=-1', 'after'],
    ['after=01', 'after'],
    ['after=9007199254740992', 'after'],
    ['after=evt_2_1_abc', 'after'],
    ['after=evt_1_1', 'after'],
    ['after=Latest', 'after'],
    ['type=order', 'type'],
    ['type=order.eaten', 'type'],
    ['type=order.**', 'type'],
    ['type=', 'type'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['wait=26', 'wait'],
    ['wait=-1', 'wait'],
    ['wait=1.5', 'wait'],
  ])('refuses %s and names the field', async (search, field) => {
    const answer = await list(`?${search}`);
    expectError(answer, 'invalid_request');
    expectDocumented('listEvents', answer);
    expect((answer.body as unknown as { details: { field: string }[] }).details[0]!.field).toBe(
      field,
    );
  });

  it('refuses a 21st type', async () => {
    const types = Array.from({ length: 21 }, () => 'type=pet.*').join('&');
    expectError(await list(`?${types}`), 'invalid_request');
  });

  it('refuses a place ahead of the feed or with another checksum', async () => {
    const last = Number((await list('?after=latest')).headers.get('events-cursor')!.split('_')[2]);
    for (const after of [
      `${last + 1}`,
      '9007199254740991',
      `evt_1_${last + 1}_abc`,
      'evt_1_2_abc',
    ]) {
      const answer = await list(`?after=${after}`);
      expectError(answer, 'cursor_unknown');
      expectDocumented('listEvents', answer);
      expect(answer.body).toMatchObject({ details: { oldest: '0', latest: String(last) } });
    }
  });

  it('shows nothing of another workspace, and refuses its cursors', async () => {
    const key = await app.addWorkspace();
    const own = await list('', key);
    expect(own.body).toMatchObject([{ type: 'key.created', sequence: 1 }]);
    const foreign = (await list('?limit=1')).body[0]!.id;
    expectError(await list(`?after=${foreign}`, key), 'invalid_request');
  });

  it('waits for an event that passes the filter', async () => {
    const { headers } = await list('?after=latest');
    const after = headers.get('events-cursor')!;
    const waiting = list(`?after=${after}&type=pet.*&wait=25`);
    await createCategory('not a pet');
    await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
    const { body } = await waiting;
    expect(body).toMatchObject([{ type: 'pet.created' }]);
  });

  it('is woken by a change of another process', async () => {
    const after = (await list('?after=latest')).headers.get('events-cursor')!;
    const waiting = list(`?after=${after}&wait=25`);
    await app.transact((tx) =>
      tx.events.append(1, [{ type: 'key.created', at: 1, data: { key: exampleKey } }]),
    );
    expect((await waiting).body).toMatchObject([{ type: 'key.created' }]);
  });

  it('answers at once when there is something, and with nothing at the end of the wait', async () => {
    expect((await list('?limit=1&wait=25')).body).toHaveLength(1);
    const answer = await list('?after=latest&wait=1');
    expect(answer.body).toEqual([]);
    expect(answer.headers.get('link')).toMatch(/after=evt_1_\d+_\w+>; rel="next"$/);
  });

  it('costs no quota, and has a cap of its own that leads to no ban', async () => {
    const key = await app.addKey(['read']);
    const before = (await app.call('GET', '/v1/usage', { key })).headers.get(
      'x-ratelimit-remaining',
    );
    const statuses: number[] = [];
    for (let at = 0; at < 61; at += 1) statuses.push((await list('?limit=1', key)).status);
    expect(statuses.slice(0, 60).every((status) => status === 200)).toBe(true);
    expect(statuses[60]).toBe(429);
    const refused = await list('?limit=1', key);
    expectError(refused, 'rate_limit_exceeded');
    expect(refused.body).not.toHaveProperty('details.refusalsBeforeBan');
    for (let at = 0; at < 40; at += 1) await list('?limit=1', key);
    const after = await app.call('GET', '/v1/usage', { key });
    expect(after.status).toBe(200);
    expect(after.headers.get('x-ratelimit-remaining')).toBe(before);
  });
});

describe('getEvent', () => {
  it('shows one event, by its id and by its number', async () => {
    const [event] = (await list('?after=1&limit=1')).body;
    for (const id of [event!.id, '2']) {
      const answer = await app.call('GET', `/v1/events/${id}`);
      expect(answer.body).toEqual(event);
      expectDocumented('getEvent', answer);
    }
  });

  it.each(['0', '999999', 'evt_1_999999_abc', 'evt_2_1_abc', 'evt_1_2', 'abc'])(
    'does not find %s',
    async (id) => {
      const answer = await app.call('GET', `/v1/events/${id}`);
      expectError(answer, 'not_found');
      expectDocumented('getEvent', answer);
    },
  );

  it('refuses an id whose checksum is that of another event', async () => {
    const answer = await app.call('GET', '/v1/events/evt_1_2_abc');
    expectError(answer, 'cursor_unknown');
    expectDocumented('getEvent', answer);
  });
});

describe('events that are no longer kept', () => {
  it('are refused with the places that can be read', async () => {
    const last = Number((await list('?after=latest')).headers.get('events-cursor')!.split('_')[2]);
    app.clock.advance(31 * 86_400_000);
    await app.restart();
    await createCategory('after a month');
    // They are deleted after the start, beside other work.
    await expect.poll(async () => (await list('?after=0')).status).toBe(410);
    const expired = await list('?after=0');
    expectError(expired, 'events_expired');
    expectDocumented('listEvents', expired);
    const details = { oldest: String(last), latest: String(last + 1) };
    expect(expired.body).toMatchObject({ details });
    const gone = await app.call('GET', '/v1/events/1');
    expectError(gone, 'events_expired');
    expectDocumented('getEvent', gone);
    expect(numbers((await list()).body)).toEqual([last + 1]);
    expect(numbers((await list(`?after=${last}`)).body)).toEqual([last + 1]);
  });
});

const exampleKey = {
  id: 'AAAAAAAAAAAA',
  workspaceId: 1,
  name: 'x',
  hint: 'psk_AAAAAAAA',
  scopes: ['read'],
  createdAt: 1,
};
