import { describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';
import { createCategory, receiverTests, type TestReceiver, WAIT } from './receiver-app.ts';

let app: TestApp;
let receiver: TestReceiver;
let key: string;

const { call, get, create, verified } = receiverTests((test) => {
  ({ app, receiver, key } = test);
});

describe('redeliverEvent', () => {
  it('sends one event beside the others, and takes it out of those that are parked', async () => {
    const { id } = await verified();
    await createCategory(app, 'parked', key);
    await expect.poll(async () => (await get(id)).behind, WAIT).toBe(0);
    const { body: events } = await call('GET', '/events');
    const event = events.at(-1);
    const workspaceId = Number(event.id.split('_')[1]);
    await app.transact((tx) =>
      tx.deliveries.park(
        { workspaceId, id },
        {
          sequence: event.sequence,
          attempts: 4,
          status: 400,
          parkedAt: Date.now(),
        },
      ),
    );
    const { body: parked } = await call('GET', `/webhooks/${id}/parked`);
    expect(parked).toMatchObject([
      { eventId: event.id, sequence: event.sequence, type: event.type, attempts: 4, status: 400 },
    ]);
    expect((await get(id)).parked).toBe(1);
    receiver.status = 500;
    const failed = await call('POST', `/webhooks/${id}/deliveries`, { eventId: event.id });
    expect(failed.body).toMatchObject({ outcome: 'status', firstSequence: event.sequence });
    expect((await get(id)).parked).toBe(1);
    receiver.status = 200;
    const { body } = await call('POST', `/webhooks/${id}/deliveries`, { eventId: event.id });
    expect(body).toMatchObject({ outcome: 'delivered', lastSequence: event.sequence });
    expect(JSON.parse(receiver.received.at(-1)!.body)).toEqual(event);
    expect((await call('GET', `/webhooks/${id}/parked`)).body).toEqual([]);
    expect((await get(id)).cursor).toBe(String(event.sequence));
  });

  it('sends nothing to an address that was never verified, nor to a webhook that is disabled', async () => {
    receiver.status = 500;
    const unverified = await create();
    const redeliver = (id: number) => call('POST', `/webhooks/${id}/deliveries`, { eventId: '1' });
    expectError(await redeliver(unverified.id), 'webhook_not_enabled');
    await call('PATCH', `/webhooks/${unverified.id}`, { state: 'disabled' });
    expectError(await redeliver(unverified.id), 'webhook_not_enabled');
    receiver.status = 200;
    const { id } = await verified();
    expect((await redeliver(id)).status).toBe(200);
    const sent = receiver.types().filter((type) => type !== 'ping');
    expect(sent).toHaveLength(1);
    await call('PATCH', `/webhooks/${id}`, { state: 'disabled' });
    expectError(await redeliver(id), 'webhook_not_enabled');
    expect(receiver.types().filter((type) => type !== 'ping')).toEqual(sent);
  });

  it('refuses events that there are not', async () => {
    const { id } = await create();
    const redeliver = (eventId: string) => call('POST', `/webhooks/${id}/deliveries`, { eventId });
    expectError(await redeliver('evt_1_1_abc'), 'invalid_request');
    expectError(await redeliver('latest'), 'invalid_request');
    expectError(await redeliver('999'), 'not_found');
    const { body: events } = await call('GET', '/events');
    const forged = events[0].id.replace(/_[^_]+$/, '_0');
    expectError(await redeliver(forged), 'cursor_unknown');
  });
});

describe('listAttempts', () => {
  it('lists the newest first, page by page, by outcome', async () => {
    const { id } = await verified({ after: '0' });
    await expect.poll(async () => (await get(id)).behind, WAIT).toBe(0);
    receiver.status = 500;
    await call('POST', `/webhooks/${id}/ping`);
    const { body: all } = await call('GET', `/webhooks/${id}/attempts`);
    expect(all.length).toBeGreaterThan(2);
    expect(all.map(({ id: at }: { id: number }) => at)).toEqual(
      all.map(({ id: at }: { id: number }) => at).sort((a: number, b: number) => b - a),
    );
    expect(all[0]).toMatchObject({ outcome: 'status', status: 500 });
    const page = await call('GET', `/webhooks/${id}/attempts?limit=1`);
    const next = /<[^>]*(\/webhooks[^>]*)>/.exec(page.headers.get('link')!)![1]!;
    expect((await call('GET', next)).body[0]).toEqual(all[1]);
    const { body: failed } = await call('GET', `/webhooks/${id}/attempts?outcome=status`);
    expect(failed).toEqual([all[0]]);
    expectError(await call('GET', `/webhooks/${id}/attempts?outcome=odd`), 'invalid_request');
  });
});
