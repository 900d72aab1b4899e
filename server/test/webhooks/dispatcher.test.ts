import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { migratePostgres } from '../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../src/datastore/postgres/postgres-datastore.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { repeatUnderLease } from '../../src/services/cluster/repeat-under-lease.ts';
import { numbering } from '../../src/services/events/numbering.ts';
import { readFeed } from '../../src/services/events/read-feed.ts';
import { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import { createDatabase } from '../support/servers.ts';
import { DeliveryWorld } from './delivery-world.ts';
import { httpReceiver } from './receivers.ts';

const WAIT = { timeout: 50_000, interval: 20 };
const realTime = {
  clock: systemClock,
  sleep: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {}),
};

/** Delivers from a world's store as a node would; stopped when the test ends. */
function startDispatcher(world: DeliveryWorld, store: Datastore = world.store) {
  const failures: unknown[] = [];
  const onFailure = (err: unknown) => failures.push(err);
  const dispatcher = new Dispatcher({
    ...world.options,
    ...realTime,
    store,
    readEvents: (workspaceId, range) => readFeed(store, workspaceId, range),
    isClockRight: () => true,
    onFailure,
  });
  dispatcher.start();
  onTestFinished(() => dispatcher.stop());
  return { dispatcher, failures };
}

/** The store, but a claim that is committed is answered only after `goOn`. */
function heldUpClaims(behind: Datastore) {
  const claim = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const transact: Datastore['transact'] = async (work) => {
    const result = await behind.transact(work);
    if (!Array.isArray(result)) return result;
    claim.resolve();
    await answer.promise;
    return result;
  };
  const store: Datastore = Object.create(behind, { transact: { value: transact } });
  return { store, claimed: claim.promise, goOn: answer.resolve };
}

describe('a dispatcher', () => {
  it('delivers what is there and what comes, soon after it comes', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await httpReceiver((_, response) => response.end());
    await world.append('a', 'b');
    const { id } = await world.addWebhook(receiver.url);
    const { failures } = startDispatcher(world);
    await expect.poll(() => receiver.received.length, WAIT).toBe(2);
    for (let count = 3; count < 8; count++) {
      await world.append(count);
      await expect.poll(() => receiver.received.length, WAIT).toBe(count);
    }
    await expect.poll(async () => (await world.webhook(id)).cursor, WAIT).toBe(7);
    expect(failures).toEqual([]);
  });

  it('finds new webhooks and new events without being notified', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await httpReceiver((_, response) => response.end());
    startDispatcher(world);
    await world.append('a');
    await world.addWebhook(receiver.url);
    await expect.poll(() => receiver.received.length, WAIT).toBe(1);
  });

  it('is not held up by more receivers that hang than it has workers', async () => {
    const world = await DeliveryWorld.open();
    const hanging = await httpReceiver(() => undefined);
    const good = await httpReceiver((_, response) => response.end());
    await world.append('a');
    const held: number[] = [];
    for (let count = 0; count < 60; count++) held.push((await world.addWebhook(hanging.url)).id);
    const first = await world.addWebhook(good.url);
    startDispatcher(world);
    await expect.poll(() => hanging.received.length, WAIT).toBe(60);
    await expect.poll(() => good.received.length, WAIT).toBe(1);
    // None of the requests that hang has timed out yet.
    for (const id of held) expect((await world.webhook(id)).failures).toBe(0);
    await world.append('b');
    await expect.poll(() => good.received.length, WAIT).toBe(2);
    expect(new Set(hanging.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await world.webhook(first.id)).failures).toBe(0);
  });

  it('gives failing webhooks no more than half of its workers', async () => {
    const world = await DeliveryWorld.open();
    const hanging = await httpReceiver(() => undefined);
    const good = await httpReceiver((_, response) => response.end());
    await world.append('a');
    const failing = { failures: 1, failingSince: world.now };
    for (let count = 0; count < 60; count++) await world.addWebhook(hanging.url, failing);
    startDispatcher(world);
    await expect.poll(() => hanging.received.length, WAIT).toBe(25);
    for (let count = 0; count < 20; count++) await world.addWebhook(good.url);
    await expect.poll(() => good.received.length, WAIT).toBe(20);
    expect(hanging.received.length).toBe(25);
  });

  it('retries a failing webhook while more healthy ones queue than it has workers', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await httpReceiver((_, response) => response.end());
    await world.append('a');
    const healthy = 300;
    for (let at = 0; at < healthy; at++) await world.addWebhook(receiver.url);
    const failing = { failures: 1, failingSince: world.now };
    await world.addWebhook(`${receiver.url}/failing`, failing);
    startDispatcher(world);
    await expect.poll(() => receiver.received.length, WAIT).toBe(healthy + 1);
    // Were it chosen only once a worker is left over, most of the healthy ones would have been sent before it.
    const place = receiver.received.findIndex(({ path }) => path.endsWith('/failing'));
    expect(place).toBeLessThan(healthy / 2);
  });

  it('stops while a receiver hangs, and gives the lease back as if nothing had been sent', async () => {
    const world = await DeliveryWorld.open();
    const hanging = await httpReceiver(() => undefined);
    await world.append('a');
    const { id } = await world.addWebhook(hanging.url);
    const { dispatcher } = startDispatcher(world);
    await expect.poll(() => hanging.received.length, WAIT).toBe(1);
    await dispatcher.stop();
    expect(await world.webhook(id)).toMatchObject({ cursor: 0, failures: 0 });
    expect(await world.attempts(id)).toEqual([]);
    world.now = systemClock.now();
    expect(await world.claim()).toHaveLength(1);
  });

  it('stops while a receiver hangs, and keeps what was delivered before', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await httpReceiver((_, response) => {
      if (receiver.received.length < 3) response.end();
    });
    await world.append('a', 'b', 'c');
    const { id } = await world.addWebhook(receiver.url);
    const { dispatcher } = startDispatcher(world);
    await expect.poll(() => receiver.received.length, WAIT).toBe(3);
    await dispatcher.stop();
    expect(receiver.received).toHaveLength(3);
    expect(await world.webhook(id)).toMatchObject({ cursor: 2, failures: 0 });
    expect(await world.attempts(id)).toHaveLength(2);
    world.now = systemClock.now();
    expect(await world.claim()).toMatchObject([{ webhook: { cursor: 2 } }]);
  });

  it('finishes the request under way when it stops, and sends no other', async () => {
    const world = await DeliveryWorld.open();
    const answers: (() => void)[] = [];
    const slow = await httpReceiver((_, response) => answers.push(() => response.end()));
    await world.append('a', 'b');
    const { id } = await world.addWebhook(slow.url);
    const { dispatcher } = startDispatcher(world);
    await expect.poll(() => answers.length, WAIT).toBe(1);
    const stopped = dispatcher.stop();
    answers[0]!();
    await stopped;
    expect(slow.received).toHaveLength(1);
    expect(await world.webhook(id)).toMatchObject({ cursor: 1 });
    world.now = systemClock.now();
    expect(await world.claim()).toMatchObject([{ leaseNumber: 2 }]);
  });

  it('gives back what it claims while it stops, and sends nothing', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await httpReceiver((_, response) => response.end());
    await world.append('a');
    await world.addWebhook(receiver.url);
    await world.addWebhook(receiver.url, { state: 'unverified', isVerified: false });
    const { store, claimed, goOn } = heldUpClaims(world.store);
    const { dispatcher, failures } = startDispatcher(world, store);
    await claimed;
    let isStopped = false;
    const stopped = dispatcher.stop().then(() => {
      isStopped = true;
    });
    await setImmediate();
    expect(isStopped).toBe(false);
    goOn();
    await stopped;
    expect(receiver.received).toEqual([]);
    expect(failures).toEqual([]);
    world.now = systemClock.now() + 1_000;
    expect(await world.claim()).toHaveLength(2);
  });

  it('leaves a webhook alone once its owner has changed it, and starts anew', async () => {
    const world = await DeliveryWorld.open();
    const answers: (() => void)[] = [];
    const old = await httpReceiver((_, response) => answers.push(() => response.end()));
    const next = await httpReceiver((_, response) => response.end());
    await world.append('a', 'b');
    const { id } = await world.addWebhook(old.url);
    const { dispatcher } = startDispatcher(world);
    await expect.poll(() => answers.length, WAIT).toBe(1);
    await world.store.transact(async (tx) => {
      const webhook = (await tx.webhooks.findAndLock(world.workspaceId, id))!;
      await tx.webhooks.update({ ...webhook, url: next.url });
      await tx.webhooks.restart({ workspaceId: world.workspaceId, id }, Date.now());
    });
    dispatcher.drop({ workspaceId: world.workspaceId, kind: 'webhook', subject: String(id) });
    answers[0]!();
    await expect.poll(() => next.received.length, WAIT).toBe(2);
    expect(old.received).toHaveLength(1);
  });

  it('stops for a webhook that was deleted while its request was under way', async () => {
    const world = await DeliveryWorld.open();
    const answers: (() => void)[] = [];
    const receiver = await httpReceiver((_, response) => answers.push(() => response.end()));
    await world.append('a', 'b');
    const { id } = await world.addWebhook(receiver.url);
    const { dispatcher, failures } = startDispatcher(world);
    await expect.poll(() => answers.length, WAIT).toBe(1);
    await world.store.transact(async (tx) => {
      await tx.webhooks.findAndLock(world.workspaceId, id);
      await tx.webhooks.delete({ workspaceId: world.workspaceId, id });
    });
    dispatcher.drop({ workspaceId: world.workspaceId, kind: 'webhook', subject: String(id) });
    answers[0]!();
    await dispatcher.stop();
    expect(receiver.received).toHaveLength(1);
    expect(failures).toEqual([]);
  });
});

describe('dispatchers of several nodes', () => {
  it('send one request at a time for each webhook, everything in order, none twice', async () => {
    const url = await createDatabase();
    await migratePostgres(url);
    const options = { timeoutFactor: 10 };
    const stores = Array.from(
      { length: 3 },
      () => new PostgresDatastore(url, new Coalescer(), options),
    );
    const world = await DeliveryWorld.over(stores[0]!, realTime);
    const inFlight = new Map<string, number>();
    let most = 0;
    const receiver = await httpReceiver(async (request, response) => {
      const count = (inFlight.get(request.path) ?? 0) + 1;
      inFlight.set(request.path, count);
      most = Math.max(most, count);
      await pause(Math.random() * 10);
      inFlight.set(request.path, inFlight.get(request.path)! - 1);
      response.end();
    });
    const webhooks = 12;
    for (let at = 0; at < webhooks; at++) await world.addWebhook(`${receiver.url}/${at}`);
    const nodes = stores.map((store) => startDispatcher(world, store));
    onTestFinished(
      repeatUnderLease(
        numbering(() => undefined),
        { findLease: () => stores[0], onFailure: () => undefined },
      ),
    );
    const events = 40;
    for (let at = 0; at < events; at++) {
      await world.append(at);
      await pause(Math.random() * 20);
    }
    await expect.poll(() => receiver.received.length, WAIT).toBe(webhooks * events);
    expect(most).toBe(1);
    for (let at = 0; at < webhooks; at++) {
      const own = receiver.received.filter(({ path }) => path.endsWith(`/${at}`));
      const sequences = own.map(({ body }) => JSON.parse(body).sequence);
      expect(sequences).toEqual(Array.from({ length: events }, (_, number) => number + 1));
    }
    expect(nodes.flatMap(({ failures }) => failures)).toEqual([]);
    await Promise.all(nodes.map(({ dispatcher }) => dispatcher.stop()));
    await Promise.all(stores.slice(1).map((store) => store.close()));
  });
});
