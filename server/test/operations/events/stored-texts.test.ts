// A stored text is what every channel sends, whatever the version that wrote it.

import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { tables } from '../../../src/datastore/tables.ts';
import { insertKey } from '../../../src/services/keys.ts';
import { callTool } from '../../mcp/agent.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { createCategory, createWebhook, TestReceiver, WAIT } from '../webhooks/receiver-app.ts';
import { StreamReader } from './stream-reader.ts';

/** Of another version: other fields, other spaces, a number that no `JSON.stringify` writes, types unknown here. */
const OTHER_TEXTS = [
  '{"type":"pet.created","timestamp":"2026-01-01T00:00:00Z","data":{"animal":{"name":"Zoë 🐕","kind":3}}}',
  '{ "type": "order.shipped", "timestamp": "2026-01-01T00:00:00.5Z", "data": { "weight": 1.50, "parcel": null } }',
  '{"type":"order.placed","timestamp":"2026-01-01T00:00:01Z","data":{"order":{"id":1,"amount":2}},"old":true}',
  '{"type":"courier.arrived","timestamp":"2026-01-01T00:00:02Z","data":{}}',
];

let app: TestApp;
let key: string;
let workspaceId: number;
/** What every channel must send, in order. */
let expected: string[];

const tableOf = (name: string) => tables.find((table) => table.name === name)!;

beforeAll(async () => {
  app = await testApp();
  await app.transact(async (tx) => {
    const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
    const workspace = { name: 'old', plan: 'enterprise', limits, createdAt: Date.now() } as const;
    ({ id: workspaceId } = await tx.workspaces.create(workspace));
    const input = { name: 'test', scopes: ['read', 'write', 'manage'] as const };
    ({ key } = await insertKey(tx, { workspaceId, key: input, now: Date.now() }));
    await tx.tables.insert(tableOf('event_heads'), [[workspaceId, 1, OTHER_TEXTS.length]]);
    const rows = OTHER_TEXTS.map((text, at) => {
      const whole = `{"id":"evt_${workspaceId}_${at + 1}_1x2y3z${at}","sequence":${at + 1},${text.slice(1)}`;
      return [workspaceId, at + 1, Date.now(), null, whole];
    });
    await tx.tables.insert(tableOf('events'), rows);
  });
  await createCategory(app, 'Dogs "\\ \u2028', key);
  await list();
  expected = await app.transact(async (tx) => {
    const rows = await tx.tables.page(tableOf('events'), undefined, 1_000);
    const own = rows.filter(([workspace]) => workspace === workspaceId);
    return own.map((row) => row.at(-1) as string);
  });
});

const list = (search = '') => app.call('GET', `/v1/events${search}`, { key });
const idOf = (text: string) => JSON.parse(text).id as string;

describe('a stored text', () => {
  it('is made once: the rows hold what was inserted', () => {
    expect(expected).toHaveLength(OTHER_TEXTS.length + 1);
    for (const [at, text] of OTHER_TEXTS.entries()) {
      expect(expected[at]!.endsWith(text.slice(1))).toBe(true);
    }
  });

  it('gets its number, and an id with a checksum of all else', () => {
    const { id, sequence, ...rest } = JSON.parse(expected.at(-1)!);
    const checksum = hash('sha256', JSON.stringify(rest)).slice(0, 7);
    expect(rest).toMatchObject({ type: 'category.created', data: { category: { id: 1 } } });
    expect(sequence).toBe(OTHER_TEXTS.length + 1);
    expect(id).toBe(`evt_${workspaceId}_${sequence}_${checksum}`);
  });

  it('is sent by a poll, byte for byte', async () => {
    const { text, headers } = await list('?after=0');
    expect(text).toBe(`[${expected.join(',')}]`);
    expect(headers.get('events-cursor')).toBe(idOf(expected.at(-1)!));
    const next = await list(`?after=${idOf(expected[1]!)}&limit=2`);
    expect(next.text).toBe(`[${expected.slice(2, 4).join(',')}]`);
  });

  it('passes a filter by the kind of its type, also if the type is unknown here', async () => {
    const { text } = await list('?type=order.*');
    expect(text).toBe(`[${expected[1]},${expected[2]}]`);
    expect((await list('?type=order.placed')).text).toBe(`[${expected[2]}]`);
  });

  it('is read by its id and by its number', async () => {
    for (const [at, text] of expected.entries()) {
      for (const name of [idOf(text), at + 1]) {
        expect((await app.call('GET', `/v1/events/${name}`, { key })).text).toBe(text);
      }
    }
  });

  it('is sent by a stream, byte for byte', async () => {
    const stream = await StreamReader.open({ address: app.address, key }, '?after=0');
    await stream.has(expected.length);
    stream.close();
    expect(stream.texts).toEqual(expected);
    expect(stream.lastId).toBe(idOf(expected.at(-1)!));
  });

  it('is sent to agents as it is', async () => {
    const options = { search: '?tools=events', key };
    const { content } = await callTool(app, 'listEvents', { after: '0' }, options);
    expect(content[0].text).toContain(`{"items":[${expected.join(',')}]`);
  });

  it('is delivered by webhooks, byte for byte, by itself and in a batch', async () => {
    const [single, batch] = [await new TestReceiver().listen(), await new TestReceiver().listen()];
    await createWebhook(app, { url: single.url, after: '0' }, key);
    await createWebhook(app, { url: batch.url, after: '0', batchMax: 100 }, key);
    const delivered = ({ received }: TestReceiver) =>
      received.filter(({ headers }) => String(headers['webhook-id']).startsWith('evt_'));
    await expect.poll(() => delivered(single).length, WAIT).toBe(expected.length);
    await expect.poll(() => delivered(batch).length, WAIT).toBeGreaterThan(0);
    expect(delivered(single).map(({ body }) => body)).toEqual(expected);
    expect(delivered(single).map(({ headers }) => headers['webhook-id'])).toEqual(
      expected.map(idOf),
    );
    expect(delivered(batch)[0]!.body).toContain(`{"events":[${expected.join(',')}]}`);
    single.close();
    batch.close();
  });
});
