import { describe, expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { OutcomeUnknown, StorageUnavailable } from '../../src/datastore/failures.ts';
import { LEASE_MS } from '../../src/domain/webhook.ts';
import type { WorkerOptions } from '../../src/webhooks/worker.ts';
import { DeliveryWorld } from './delivery-world.ts';
import { httpReceiver } from './receivers.ts';
import { idsIn, namesIn, newReceiver } from './scripted-receiver.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('a worker whose process was stopped in the middle of a request, for longer than its lease', () => {
  it('sends and saves nothing more, while another node has gone on', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b', 'c');
    const meanwhile: (() => Promise<void>)[] = [];
    const receiver = await httpReceiver(async (_, response) => {
      await meanwhile.shift()?.();
      response.end();
    });
    const { id } = await world.addWebhook(receiver.url);
    const [lease] = await world.claim();
    const stopped = world.worker(lease!);
    meanwhile.push(async () => {
      world.now += MINUTE_MS;
      const [next] = await world.claim();
      expect(next).toMatchObject({ leaseNumber: 2, webhook: { id, cursor: 0 } });
      await world.workerElsewhere(next!).run();
    });
    await stopped.run();
    expect(namesIn(receiver.received)).toEqual(['a', 'a', 'b', 'c']);
    expect(await world.webhook(id)).toMatchObject({ cursor: 3 });
    expect(await world.attempts(id)).toHaveLength(3);
  });

  it('sends nothing more where no other node has gone on, and gives the lease back', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b');
    const receiver = await httpReceiver((_, response) => {
      world.now += MINUTE_MS;
      response.end();
    });
    const { id } = await world.addWebhook(receiver.url);
    const [lease] = await world.claim();
    await world.worker(lease!).run();
    expect(namesIn(receiver.received)).toEqual(['a']);
    expect(await world.webhook(id)).toMatchObject({ cursor: 1 });
    expect(await world.claim()).toHaveLength(1);
  });
});

describe('a worker that is cut off from the database', () => {
  it('sends nothing from the first save that fails, and gives up when its lease ends', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b', 'c', 'd');
    const receiver = await httpReceiver((_, response) => {
      world.now += SECOND_MS;
      response.end();
    });
    const { id } = await world.addWebhook(receiver.url);
    const [lease] = await world.claim();
    const saves: number[] = [];
    const away = Object.create(world.store, {
      transact: {
        value: async () => {
          saves.push(receiver.received.length);
          world.now += 5 * SECOND_MS;
          throw new StorageUnavailable('no route to the database');
        },
      },
    }) as Datastore;
    const startedAt = world.now;
    await expect(world.worker(lease!, { store: away }).run()).rejects.toThrow(StorageUnavailable);
    expect(namesIn(receiver.received)).toEqual(['a']);
    expect(new Set(saves)).toEqual(new Set([1]));
    expect(world.now - startedAt).toBeGreaterThan(LEASE_MS);
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'a', 'b', 'c', 'd']);
    expect((await world.webhook(id)).cursor).toBe(4);
  });
});

describe('a worker whose read fails', () => {
  it('gives the lease back with what was delivered', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    await world.append('a');
    const failing = { failures: 3, failingSince: world.now, state: 'failing' } as const;
    const { id } = await world.addWebhook(receiver.url, failing);
    const [lease] = await world.claim();
    const readEvents: WorkerOptions['readEvents'] = (workspaceId, range) => {
      if (range.after > 0) throw new StorageUnavailable('no route to the database');
      return world.options.readEvents(workspaceId, range);
    };
    await expect(world.worker(lease!, { readEvents }).run()).rejects.toThrow(StorageUnavailable);
    expect(await world.webhook(id)).toMatchObject({ cursor: 1, failures: 0, state: 'enabled' });
    expect(await world.attempts(id)).toHaveLength(1);
    await world.append('b');
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'b']);
  });

  it('leaves a retry that is waiting where it was', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 503;
    await world.append('a');
    const { id } = await world.addWebhook(receiver.url);
    await world.workFor(59 * MINUTE_MS);
    const { retryAt, failures } = await world.webhook(id);
    world.now += MINUTE_MS;
    const [lease] = await world.claim();
    const readEvents: WorkerOptions['readEvents'] = async () => {
      throw new StorageUnavailable('no route to the database');
    };
    await expect(world.worker(lease!, { readEvents }).run()).rejects.toThrow(StorageUnavailable);
    expect(await world.webhook(id)).toMatchObject({ retryAt, failures, state: 'enabled' });
    await world.work();
    expect(await world.webhook(id)).toMatchObject({ failures, state: 'failing' });
  });

  it('parks the event in the next turn', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = ({ body }) => (body.includes('poison') ? 400 : 200);
    await world.append('poison', 'b');
    const rejected = { failures: 3, rejections: 3, failingSince: world.now };
    const { id } = await world.addWebhook(receiver.url, rejected);
    const [lease] = await world.claim();
    const countParked = async () => {
      throw new StorageUnavailable('no route to the database');
    };
    const { read } = world.store;
    const deliveries = Object.create(read.deliveries, { countParked: { value: countParked } });
    const away = Object.create(world.store, {
      transact: { value: world.store.transact.bind(world.store) },
      read: { value: Object.create(read, { deliveries: { value: deliveries } }) },
    }) as Datastore;
    await expect(world.worker(lease!, { store: away }).run()).rejects.toThrow(StorageUnavailable);
    expect(await world.webhook(id)).toMatchObject({ cursor: 0, ...rejected });
    await world.work();
    expect(await world.parked(id)).toEqual([1]);
    expect((await world.webhook(id)).failures).toBe(0);
  });
});

it('a worker that cannot save what it parks leaves the cursor before it', async () => {
  const world = await DeliveryWorld.open();
  const receiver = await newReceiver();
  receiver.answers.statusOf = ({ body }) => (body.includes('poison') ? 400 : 200);
  await world.append('poison', 'b');
  const rejected = { failures: 3, rejections: 3, failingSince: world.now };
  const { id } = await world.addWebhook(receiver.url, rejected);
  const [lease] = await world.claim();
  let isAway = true;
  const transact: Datastore['transact'] = async (work) => {
    if (receiver.taken.length === 0 || !isAway) return world.store.transact(work);
    isAway = false;
    world.now += LEASE_MS + SECOND_MS;
    throw new StorageUnavailable('no route to the database');
  };
  const store = Object.create(world.store, { transact: { value: transact } }) as Datastore;
  await expect(world.worker(lease!, { store }).run()).rejects.toThrow(StorageUnavailable);
  expect(await world.webhook(id)).toMatchObject({ cursor: 0 });
  await world.work();
  expect(await world.parked(id)).toEqual([1]);
});

describe('a worker that does not learn whether its save was committed', () => {
  it('does not save it again: each attempt and each event of it is there once', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a');
    const receiver = await httpReceiver((_, response) => response.writeHead(410).end());
    const { id } = await world.addWebhook(receiver.url);
    const [lease] = await world.claim();
    await world.worker(lease!, { store: unsure(world.store, { isCommitted: true }) }).run();
    expect(await world.attempts(id)).toHaveLength(1);
    expect(await world.emitted()).toMatchObject([{ type: 'webhook.disabled' }]);
  });

  it.each([
    { isCommitted: true, received: ['a', 'b', 'c'] },
    { isCommitted: false, received: ['a', 'a', 'b', 'c'] },
  ])(
    'sends nothing more and gives the lease back: the next one goes on from what was saved (committed: $isCommitted)',
    async ({ isCommitted, received }) => {
      const world = await DeliveryWorld.open();
      await world.append('a', 'b', 'c');
      const receiver = await httpReceiver((_, response) => {
        world.now += SECOND_MS;
        response.end();
      });
      const { id } = await world.addWebhook(receiver.url);
      const [lease] = await world.claim();
      await world.worker(lease!, { store: unsure(world.store, { isCommitted }) }).run();
      expect(namesIn(receiver.received)).toEqual(['a']);
      await world.work();
      expect(namesIn(receiver.received)).toEqual(received);
      expect(await world.attempts(id)).toHaveLength(3);
      expect((await world.webhook(id)).cursor).toBe(3);
    },
  );
});

/** The store, except that the outcome of the first transaction stays unknown. */
function unsure(store: Datastore, { isCommitted }: { isCommitted: boolean }): Datastore {
  let isFirst = true;
  const transact: Datastore['transact'] = async (work) => {
    if (!isFirst) return store.transact(work);
    isFirst = false;
    if (isCommitted) await store.transact(work);
    throw new OutcomeUnknown('no answer to the commit');
  };
  return Object.create(store, { transact: { value: transact } }) as Datastore;
}

describe('a clock that jumps', () => {
  it('a day forward brings one early retry, and no storm', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 503;
    await world.append('a');
    const { id } = await world.addWebhook(receiver.url);
    await world.workFor(MINUTE_MS);
    const before = receiver.received.length;
    world.now += DAY_MS;
    await world.work();
    expect(receiver.received).toHaveLength(before + 1);
    const { failures, retryAt } = await world.webhook(id);
    expect(failures).toBe(before + 1);
    expect(retryAt! - world.now).toBeGreaterThan(MINUTE_MS);
    await world.workFor(MINUTE_MS);
    expect(receiver.received).toHaveLength(before + 1);
    expect(new Set(idsIn(receiver.received)).size).toBe(1);
  });

  it('a day forward under a request ends the lease early, and nothing is sent twice', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b', 'c');
    const receiver = await httpReceiver((_, response) => {
      if (receiver.received.length === 1) world.now += DAY_MS;
      response.end();
    });
    await world.addWebhook(receiver.url);
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'b', 'c']);
  });

  it.each([DAY_MS, 5 * MINUTE_MS])(
    '%i ms back, noticed by a restart, holds up no webhook that takes what it gets',
    async (back) => {
      const world = await DeliveryWorld.open();
      const receiver = await newReceiver();
      world.now += back;
      await world.append('a');
      await world.addWebhook(receiver.url);
      await world.work();
      await world.append('b');
      // A node that holds a lease when the clock is set back never gives it back.
      await world.claim();
      world.now -= back;
      await world.work();
      expect(namesIn(receiver.received)).toEqual(['a', 'b']);
    },
  );

  it('a day back, noticed by a restart, holds up no retry', async () => {
    const world = await DeliveryWorld.open();
    const receiver = await newReceiver();
    receiver.answers.statusOf = () => 503;
    world.now += DAY_MS;
    await world.append('a');
    await world.addWebhook(receiver.url);
    await world.work();
    world.now -= DAY_MS;
    receiver.answers.statusOf = () => 200;
    await world.work();
    expect(namesIn(receiver.taken)).toEqual(['a']);
  });

  it('a stall of the event loop for two seconds changes nothing', async () => {
    const world = await DeliveryWorld.open();
    await world.append('a', 'b', 'c');
    const receiver = await httpReceiver((_, response) => {
      world.now += 2 * SECOND_MS;
      response.end();
    });
    const { id } = await world.addWebhook(receiver.url);
    await world.work();
    expect(namesIn(receiver.received)).toEqual(['a', 'b', 'c']);
    const attempts = await world.attempts(id);
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual(
      Array(3).fill([1, 'delivered']),
    );
  });
});
