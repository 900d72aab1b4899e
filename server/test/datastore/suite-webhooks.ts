import { expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import type { DeliveryProgress, DueRequest } from '../../src/datastore/webhooks/due.ts';
import type { WebhookKey } from '../../src/datastore/webhooks/webhooks.ts';
import type { AttemptRecord, WebhookHealth } from '../../src/domain/delivery.ts';
import { ATTEMPTS_MAX, LEASE_MS, type WebhookLease } from '../../src/domain/webhook.ts';
import { numberAll } from '../../src/services/events/numbering.ts';
import { newWorkspace, type Opened } from './fixture.ts';
import { append, named, readFeed } from './suite-events.ts';

const healthy: WebhookHealth = { state: 'enabled', failures: 0, rejections: 0 };
const attempt: Omit<AttemptRecord, 'id'> = {
  firstSequence: 1,
  lastSequence: 1,
  isVerification: false,
  attempt: 1,
  at: Date.now(),
  durationMs: 5,
  outcome: 'delivered',
  status: 200,
};

/** A webhook that wants everything, of a workspace with that many events. */
export async function newWebhook(
  store: Datastore,
  { events = 0, health = healthy, cursor = 0 } = {},
) {
  const workspaceId = await newWorkspace(store);
  for (let at = 0; at < events; at++) await append(store, workspaceId, named(at));
  await readFeed(store, workspaceId);
  return addWebhook(store, workspaceId, { health, cursor });
}

function addWebhook(store: Datastore, workspaceId: number, { health = healthy, cursor = 0 } = {}) {
  const webhook = {
    workspaceId,
    url: 'https://hooks.example/é',
    types: ['*'],
    description: 'till 🐕',
    batchMax: 1,
    perSecondMax: 20,
    isVerified: health.state !== 'unverified',
    ...health,
    cursor,
    secretHint: 'whsec_abcd',
    createdAt: Date.now(),
  };
  return store.transact((tx) => tx.webhooks.create(webhook, 'sealed'));
}

/** Those of a workspace. The store has webhooks of other tests, too. */
async function dueOf(store: Datastore, workspaceId: number, request: Partial<DueRequest> = {}) {
  const defaults = { now: Date.now(), limit: 10_000, isFailing: false };
  const due = await store.read.deliveries.due({ ...defaults, ...request });
  const { items } = await store.read.webhooks.list(workspaceId, { sort: 'id', limit: 10 });
  return due.map(({ id }) => id).filter((id) => items.some((webhook) => webhook.id === id));
}

async function claim(store: Datastore, ...webhooks: WebhookKey[]): Promise<WebhookLease[]> {
  return store.transact((tx) => tx.deliveries.lease(webhooks, Date.now()));
}

const moved = (progress: Partial<DeliveryProgress>): DeliveryProgress => {
  return {
    cursor: 1,
    isVerified: true,
    health: healthy,
    retryInMs: 0,
    dueInMs: 0,
    isReleased: true,
    ...progress,
  };
};

function save(store: Datastore, lease: WebhookLease, progress: Partial<DeliveryProgress>) {
  return store.transact((tx) => tx.deliveries.save(lease, moved(progress), Date.now()));
}

export function webhookSuite(opened: Opened): void {
  it('keeps a webhook as it was made, in its workspace', async () => {
    const { store, other } = opened();
    const webhook = await newWebhook(store);
    expect(webhook).toMatchObject({ revision: 1, types: ['*'], ...healthy });
    expect(await other.read.webhooks.find(webhook.workspaceId, webhook.id)).toEqual(webhook);
    expect(await other.read.webhooks.find(webhook.workspaceId + 1, webhook.id)).toBeUndefined();
    expect(await other.read.webhooks.findSecrets(webhook)).toEqual({ current: 'sealed' });
    const page = { sort: 'id', limit: 10 } as const;
    expect((await other.read.webhooks.list(webhook.workspaceId, page)).items).toEqual([webhook]);
    expect(await other.read.webhooks.count(webhook.workspaceId)).toBe(1);
  });

  it('names the keys that sealed the secrets, those of earlier secrets until their overlap ends', async () => {
    const { store } = opened();
    const webhook = await newWebhook(store);
    const secrets = {
      current: 'new-key.x',
      hint: 'whsec_efgh',
      previous: 'old-key.y',
      previousUntil: 5,
    };
    await store.transact((tx) => tx.webhooks.replaceSecrets(webhook, secrets));
    const { hint: _, ...sealed } = secrets;
    expect(await store.read.webhooks.findSecrets(webhook)).toEqual(sealed);
    const during = await store.read.webhooks.sealNames(7, 4);
    expect(during).toEqual(expect.arrayContaining(['new-key', 'old-key']));
    const after = await store.read.webhooks.sealNames(7, 5);
    expect(after).toContain('new-key');
    expect(after).not.toContain('old-key');
  });

  it('removes a webhook with its attempts and what was parked', async () => {
    const { store } = opened();
    const webhook = await newWebhook(store);
    const { id, workspaceId } = webhook;
    await store.transact(async (tx) => {
      await tx.deliveries.addAttempts(webhook, [attempt]);
      await tx.deliveries.park(webhook, { sequence: 1, attempts: 4, parkedAt: 1 });
      await tx.webhooks.findAndLock(workspaceId, id);
      await tx.webhooks.delete(webhook);
    });
    expect(await store.read.webhooks.find(workspaceId, id)).toBeUndefined();
    expect(await store.read.deliveries.countParked(webhook)).toBe(0);
  });

  it('counts every event after the cursor, although none was read since', async () => {
    const { store } = opened();
    // Of the events without a number only so many are counted.
    await numberAll(store);
    const webhook = await newWebhook(store, { events: 3, cursor: 1 });
    const { workspaceId } = webhook;
    const counted = async () =>
      (await store.read.deliveries.countByState()).find(({ state }) => state === 'enabled')!.behind;
    const behind = async () => (await store.read.webhooks.statusOf(webhook, 0)).behind;
    const before = await counted();
    expect(await behind()).toBe(2);
    for (const name of [4, 5]) await append(store, workspaceId, named(name));
    expect(await behind()).toBe(4);
    expect(await counted()).toBe(before + 2);
    expect(await readFeed(store, workspaceId)).toHaveLength(5);
    expect(await behind()).toBe(4);
    expect(await counted()).toBe(before + 2);
  });

  it('finds no webhook due that has nothing to do, and each as soon as an event is numbered', async () => {
    const { store, other } = opened();
    const webhook = await newWebhook(store, { events: 2, cursor: 1 });
    const { id, workspaceId } = webhook;
    const isDue = async () => (await dueOf(store, workspaceId)).length === 1;
    expect(await isDue()).toBe(true);
    const [first] = (await claim(store, { workspaceId, id })) as [WebhookLease];
    await save(store, first, { cursor: 1, dueInMs: undefined });
    expect(await isDue(), 'with an event to deliver').toBe(true);
    const [second] = (await claim(store, { workspaceId, id })) as [WebhookLease];
    await save(store, second, { cursor: 2, dueInMs: undefined });
    expect(await isDue(), 'with all delivered').toBe(false);
    await append(other, workspaceId, named(3));
    await readFeed(other, workspaceId);
    expect(await isDue(), 'with a new event').toBe(true);
    const [third] = (await claim(store, { workspaceId, id })) as [WebhookLease];
    await append(other, workspaceId, named(4));
    await readFeed(other, workspaceId);
    await save(store, third, { cursor: 3, dueInMs: undefined });
    expect(await isDue(), 'with an event that was numbered during the lease').toBe(true);
    expect(await dueOf(store, workspaceId, { isFailing: true })).toEqual([]);
  });

  it('leaves no webhook without work while an event is being numbered', async () => {
    const { store, other } = opened();
    const { id, workspaceId } = await newWebhook(store, { events: 1 });
    for (let cursor = 1; cursor <= 50; cursor++) {
      const [lease] = (await claim(store, { workspaceId, id })) as [WebhookLease];
      await Promise.all([
        save(store, lease, { cursor, dueInMs: undefined }),
        append(other, workspaceId, named(cursor)).then(() => readFeed(other, workspaceId)),
      ]);
      expect(await dueOf(store, workspaceId), `after event ${cursor}`).toEqual([id]);
    }
  });

  it('finds no disabled webhook due, whatever happens to it', async () => {
    const { store } = opened();
    const off: WebhookHealth = { ...healthy, state: 'disabled', stateReason: 'by_owner' };
    const disabled = await newWebhook(store, { events: 1, health: off });
    const { workspaceId } = disabled;
    expect(await dueOf(store, workspaceId)).toEqual([]);
    await append(store, workspaceId, named(2));
    await readFeed(store, workspaceId);
    await store.transact((tx) => tx.webhooks.resume(disabled, Date.now()));
    expect(await dueOf(store, workspaceId)).toEqual([]);
    const enabled = await addWebhook(store, workspaceId);
    const [lease] = (await claim(store, enabled)) as [WebhookLease];
    await save(store, lease, { health: off });
    expect(await dueOf(store, workspaceId)).toEqual([]);
  });

  it('lets one of many claims through, and the next only once the lease is given back', async () => {
    const { store, other } = opened();
    const { id, workspaceId } = await newWebhook(store, { events: 1 });
    const claims = Array.from({ length: 16 }, (_, at) =>
      claim(at % 2 === 0 ? store : other, { workspaceId, id }),
    );
    const leases = (await Promise.all(claims)).flat();
    expect(leases).toHaveLength(1);
    const [lease] = leases as [WebhookLease];
    expect(lease).toMatchObject({ leaseNumber: 1, secrets: { current: 'sealed' } });
    expect(Math.abs(lease.now - Date.now())).toBeLessThan(60_000);
    expect(await dueOf(store, workspaceId)).toEqual([]);
    expect(await claim(other, { workspaceId, id })).toEqual([]);
    expect(await save(store, lease, { cursor: 0, isReleased: false })).toBe(true);
    expect(await claim(other, { workspaceId, id })).toEqual([]);
    expect(await save(store, lease, { cursor: 0 })).toBe(true);
    expect(await claim(other, { workspaceId, id })).toMatchObject([{ leaseNumber: 2 }]);
  });

  it('lets nothing be saved under a lease that has passed to another', async () => {
    const { store, other } = opened();
    const { id, workspaceId } = await newWebhook(store, { events: 3 });
    const [first] = (await claim(store, { workspaceId, id })) as [WebhookLease];
    await store.transact((tx) => tx.deliveries.release(first, Date.now()));
    const [second] = (await claim(other, { workspaceId, id })) as [WebhookLease];
    expect(await save(store, first, { cursor: 3 })).toBe(false);
    expect(await store.transact((tx) => tx.deliveries.release(first, Date.now()))).toBe(false);
    expect(await dueOf(store, workspaceId)).toEqual([]);
    expect(await save(other, second, { cursor: 2, batchLast: 3 })).toBe(true);
    const saved = await store.read.webhooks.find(workspaceId, id);
    expect(saved).toMatchObject({ cursor: 2, batchLast: 3 });
  });

  it('lets nothing be saved over a change of the owner', async () => {
    const { store } = opened();
    const { id, workspaceId } = await newWebhook(store, { events: 3 });
    const [lease] = (await claim(store, { workspaceId, id })) as [WebhookLease];
    await store.transact(async (tx) => {
      const webhook = (await tx.webhooks.findAndLock(workspaceId, id))!;
      await tx.webhooks.update({ ...webhook, url: 'https://other.example/', cursor: 1 });
      await tx.webhooks.restart({ workspaceId, id }, Date.now());
    });
    expect(await save(store, lease, { cursor: 3 })).toBe(false);
    expect(await store.transact((tx) => tx.deliveries.release(lease, Date.now()))).toBe(true);
    expect(await dueOf(store, workspaceId)).toEqual([id]);
    expect(await claim(store, { workspaceId, id })).toMatchObject([
      { leaseNumber: 2, webhook: { cursor: 1, url: 'https://other.example/', revision: 2 } },
    ]);
  });

  it('moves the cursor over a change of the owner that left it alone, and over no other', async () => {
    const { store } = opened();
    const { id, workspaceId } = await newWebhook(store, { events: 3 });
    const [lease] = (await claim(store, { workspaceId, id })) as [WebhookLease];
    const saveCursor = (cursor: number, of = lease) =>
      store.transact((tx) => tx.deliveries.saveCursor(of, { cursor, batchLast: 3 }, Date.now()));
    await store.transact((tx) => tx.webhooks.resume({ workspaceId, id }, Date.now()));
    expect(await save(store, lease, { cursor: 2 })).toBe(false);
    expect(await saveCursor(2)).toBe(true);
    const [second] = (await claim(store, { workspaceId, id })) as [WebhookLease];
    expect(second).toMatchObject({ leaseNumber: 2, webhook: { cursor: 2, batchLast: 3 } });
    expect(await saveCursor(3), 'under a lease that has passed on').toBe(false);
    await store.transact((tx) => tx.webhooks.restart({ workspaceId, id }, Date.now()));
    await store.transact((tx) => tx.webhooks.resume({ workspaceId, id }, Date.now()));
    expect(await saveCursor(3, second)).toBe(false);
    expect(await store.transact((tx) => tx.deliveries.release(second, Date.now()))).toBe(true);
    expect(await dueOf(store, workspaceId)).toEqual([id]);
    expect(await store.read.webhooks.find(workspaceId, id)).toMatchObject({ cursor: 2 });
  });

  it('ends every lease at once where no other node can hold one', async () => {
    const { store } = opened();
    const webhook = await newWebhook(store, { events: 1 });
    await claim(store, webhook);
    await store.transact((tx) => tx.deliveries.releaseAll(Date.now()));
    expect(await claim(store, webhook)).toMatchObject([{ leaseNumber: 2 }]);
  });

  it('keeps a webhook back until it is due again, with all that is known of its failures', async () => {
    const { store } = opened();
    const { id, workspaceId } = await newWebhook(store, { events: 1 });
    const [lease] = (await claim(store, { workspaceId, id })) as [WebhookLease];
    const health: WebhookHealth = { state: 'failing', failures: 7, rejections: 3, failingSince: 5 };
    const hour = { retryInMs: 7_200_000, dueInMs: 3_600_000 };
    await save(store, lease, { cursor: 0, health, ...hour, isVerified: false });
    const failing = { isFailing: true };
    expect(await dueOf(store, workspaceId, failing)).toEqual([]);
    expect(await claim(store, { workspaceId, id }), 'also by those who saw it due before').toEqual(
      [],
    );
    const saved = (await store.read.webhooks.find(workspaceId, id))!;
    expect(saved).toMatchObject({ ...health, isVerified: false });
    expect(saved.retryAt! - lease.now).toBeGreaterThanOrEqual(7_200_000);
    await store.transact((tx) => tx.webhooks.restart({ workspaceId, id }, Date.now()));
    expect(await dueOf(store, workspaceId, failing)).toEqual([id]);
    expect(await dueOf(store, workspaceId)).toEqual([]);
  });

  it('takes those first that have waited longest', async () => {
    const { store } = opened();
    const first = await newWebhook(store, { events: 1 });
    const second = await addWebhook(store, first.workspaceId);
    const created = Date.now();
    // Both are due at a millisecond. The first becomes due again in a later one than the second.
    await expect.poll(() => Date.now()).toBeGreaterThan(created);
    const [lease] = (await claim(store, first)) as [WebhookLease];
    await save(store, lease, { cursor: 0 });
    const later = { now: Date.now() + LEASE_MS };
    expect(await dueOf(store, first.workspaceId, later)).toEqual([second.id, first.id]);
    const request = { ...later, isFailing: false, limit: 1 };
    expect(await store.read.deliveries.due(request)).toHaveLength(1);
  });

  it('keeps the newest attempts up to a number, and none that is too old', async () => {
    const { store } = opened();
    const webhook = await newWebhook(store);
    const many = Array.from({ length: ATTEMPTS_MAX + 5 }, (_, at) => ({ ...attempt, at }));
    const added = await store.transact((tx) => tx.deliveries.addAttempts(webhook, many));
    const list = async (outcome?: string) =>
      (await store.read.deliveries.attempts(webhook, outcome, { sort: 'id', limit: 2_000 })).items;
    expect(await list()).toEqual(added.slice(5));
    expect(await list('timeout')).toEqual([]);
    while (await store.transact((tx) => tx.oldRows.remove('attempts', ATTEMPTS_MAX)));
    expect((await list()).map(({ at }) => at)).toEqual([1000, 1001, 1002, 1003, 1004]);
  });

  it('counts the pings of the owner', async () => {
    const { store } = opened();
    const webhook = await newWebhook(store);
    const { firstSequence: _, lastSequence: __, ...ping } = attempt;
    const failed = { ...ping, at: 50, outcome: 'status', status: 500, excerpt: 'no 🐕' } as const;
    const added = await store.transact((tx) =>
      tx.deliveries.addAttempts(webhook, [failed, { ...failed, at: 60 }, { ...attempt, at: 70 }]),
    );
    const verification = { ...ping, at: 80, isVerification: true };
    const [kept] = await store.transact((tx) => tx.deliveries.addAttempts(webhook, [verification]));
    expect(kept).toMatchObject(verification);
    expect(await store.read.deliveries.countPings(webhook, 49)).toBe(2);
    expect(await store.read.deliveries.countPings(webhook, 50)).toBe(1);
    const newest = { sort: '-id', limit: 1 } as const;
    const { items, hasMore } = await store.read.deliveries.attempts(webhook, 'status', newest);
    expect([items, hasMore]).toEqual([[added[1]], true]);
  });

  it('parks an event once, counts and lists what is parked, and takes it out once', async () => {
    const { store } = opened();
    const webhook = await newWebhook(store);
    const parked = { sequence: 7, attempts: 4, status: 400, parkedAt: 9 };
    await store.transact(async (tx) => {
      await tx.deliveries.park(webhook, parked);
      await tx.deliveries.park(webhook, { ...parked, attempts: 9 });
      await tx.deliveries.park(webhook, { sequence: 3, attempts: 5, parkedAt: 8 });
    });
    expect(await store.read.deliveries.countParked(webhook)).toBe(2);
    const page = { sort: 'id', limit: 1 } as const;
    const first = await store.read.deliveries.parked(webhook, page);
    expect(first).toEqual({
      items: [{ sequence: 3, attempts: 5, parkedAt: 8 }],
      hasMore: true,
      end: [3],
    });
    const second = await store.read.deliveries.parked(webhook, { ...page, after: first.end });
    expect(second).toEqual({ items: [parked], hasMore: false });
    const unpark = () => store.transact((tx) => tx.deliveries.unpark(webhook, 7));
    expect([await unpark(), await unpark()]).toEqual([true, false]);
  });
}
