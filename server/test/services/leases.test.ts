import { expect, it, onTestFinished } from 'vitest';
import { JOB_LEASE_MS } from '../../src/datastore/cluster/leases.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { PostgresDatastore } from '../../src/datastore/postgres/postgres-datastore.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { type JobName, jobNames, LeaseLost, Leases } from '../../src/services/cluster/leases.ts';
import { repeatUnderLease } from '../../src/services/cluster/repeat-under-lease.ts';
import { ExpirySweep } from '../../src/services/expiry.ts';
import { placeOrder } from '../../src/services/orders.ts';
import { StorageHealth } from '../../src/services/storage-health.ts';
import { NOW, newShop, newWorkspace } from '../datastore/fixture.ts';
import { createMigratedDatabase, holdServerClock, onDatabase } from '../support/servers.ts';

const DAY_MS = 86_400_000;

/** Nodes on one PostgreSQL, each with a clock of its own. All clocks stand still. */
async function newCluster() {
  const url = await createMigratedDatabase();
  await holdServerClock(url, NOW);
  let nodes = 0;
  const addNode = (jobs: readonly JobName[] = jobNames) => {
    const store = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
    const clock = { aheadMs: 0, now: () => NOW + clock.aheadMs };
    const health = new StorageHealth({ store, clock, onClockSkew: () => undefined });
    const failures: unknown[] = [];
    const leases = new Leases({
      store,
      clock,
      jobs,
      holder: `node ${nodes++}`,
      checkReady: () => health.check(),
      onFailure: (err) => failures.push(err),
    });
    onTestFinished(async () => {
      await leases.stop();
      await store.close();
    });
    return { store, clock, leases, failures };
  };
  /** The leases have not been renewed for as long as they last. */
  const endLeases = () =>
    onDatabase(url, (client) => client.query(`UPDATE leases SET until = until - ${JOB_LEASE_MS}`));
  const moveTo = (now: number) => holdServerClock(url, now);
  return { addNode, endLeases, moveTo };
}

const nameOf = async (store: Datastore, id: number) => (await store.read.workspaces.find(id))!.name;

it('lets a node that was overtaken write nothing more, though it believes it has the lease', async () => {
  const { addNode, endLeases } = await newCluster();
  const [first, second] = [addNode(), addNode()];
  const id = await newWorkspace(first.store);
  await first.leases.start();
  const overtaken = first.leases.find('clean-up')!;
  const rename = (store: Pick<Datastore, 'transact'>, name: string) =>
    store.transact(async (tx) => {
      const workspace = (await tx.workspaces.findAndLock(id))!;
      await tx.workspaces.update({ ...workspace, name });
    });
  await rename(overtaken, 'by the first');
  await second.leases.start();
  expect(second.leases.find('clean-up')).toBeUndefined();
  await endLeases();
  await second.leases.start();
  await expect(rename(overtaken, 'by the first, late')).rejects.toThrow(LeaseLost);
  expect(await nameOf(first.store, id)).toBe('by the first');
  await rename(second.leases.find('clean-up')!, 'by the second');
  expect(await nameOf(first.store, id)).toBe('by the second');
});

it('leaves the lease of a job that it does not do to a node that does it', async () => {
  const { addNode } = await newCluster();
  const [first, second] = [addNode(['clean-up']), addNode()];
  await first.leases.start();
  await second.leases.start();
  expect(first.leases.find('request-log')).toBeUndefined();
  expect(second.leases.find('request-log')).toBeDefined();
  expect(second.leases.find('clean-up')).toBeUndefined();
});

it('goes on with a job on another node when the first stops, and does nothing twice', async () => {
  const { addNode } = await newCluster();
  const [first, second] = [addNode(), addNode()];
  const ran: string[] = [];
  const repeat = (name: string, { leases, failures }: typeof first) =>
    repeatUnderLease(
      {
        name: 'numbering',
        everyMs: DAY_MS,
        run: (store) => store.transact(async () => void ran.push(name)),
      },
      { findLease: leases.find, onFailure: (err) => failures.push(err) },
    );
  await first.leases.start();
  await second.leases.start();
  const stops = [repeat('first', first), repeat('second', second)];
  await expect.poll(() => ran).toEqual(['first']);
  await stops[0]!();
  await first.leases.stop();
  await expect.poll(() => ran, { timeout: 30_000 }).toEqual(['first', 'second']);
  await stops[1]!();
  expect([...first.failures, ...second.failures]).toEqual([]);
});

type Shop = Awaited<ReturnType<typeof newShop>>;

/** An order that is due a second from now, by the clock of the server. */
async function placeHeld(store: Datastore, { workspaceId, petId }: Shop): Promise<number> {
  const order = { petId, quantity: 1, complete: false, expiresAt: NOW + 1_000 };
  const caller = { keyId: 'key', workspaceId, scopes: [], limits: { perMinute: 1, perDay: 1 } };
  return (await store.transact((tx) => placeOrder(tx, { caller, order, now: NOW }))).id;
}

const stateOf = async (store: Datastore, { workspaceId }: Shop, id: number) =>
  (await store.read.orders.find(workspaceId, id))!.state;
const sweepOf = ({ clock }: { clock: Clock }) =>
  new ExpirySweep({ clock, onChange: () => undefined, onFailure: (err) => expect.fail(`${err}`) });

it.each([
  ['10 s ahead', 10_000],
  ['10 s behind', -10_000],
])(
  'ends each order by the clock of the server on a node whose clock is %s, which keeps its leases',
  async (_, skewMs) => {
    const { addNode, moveTo } = await newCluster();
    const node = addNode();
    const { store } = node;
    const shop = await newShop(store);
    const id = await placeHeld(store, shop);
    node.clock.aheadMs = skewMs;
    await node.leases.start();
    const leased = node.leases.find('expiry')!;
    await moveTo(NOW + 999);
    await sweepOf(node).sweep(leased);
    expect(await stateOf(store, shop, id)).toBe('open');
    await moveTo(NOW + 1_000);
    await sweepOf(node).sweep(leased);
    expect(await stateOf(store, shop, id)).toBe('expired');
    expect(node.failures).toEqual([]);
  },
);

it.each([
  ['3 days ahead', 3 * DAY_MS],
  ['90 s ahead', 90_000],
  ['90 s behind', -90_000],
  ['3 days behind', -3 * DAY_MS],
])(
  'ends no order on a node whose clock is %s, and gives its leases to another',
  async (_, skewMs) => {
    const { addNode } = await newCluster();
    const [wrong, right] = [addNode(), addNode()];
    const { store } = wrong;
    const shop = await newShop(store);
    const id = await placeHeld(store, shop);
    await wrong.leases.start();
    const leased = wrong.leases.find('expiry')!;
    wrong.clock.aheadMs = skewMs;
    // The node has not noticed yet that its clock is wrong.
    await sweepOf(wrong)
      .sweep(leased)
      .catch((err) => expect(err).toBeInstanceOf(LeaseLost));
    expect(await stateOf(store, shop, id)).toBe('open');
    await expect(leased.transact(async () => undefined)).rejects.toThrow(LeaseLost);
    await expect.poll(() => wrong.leases.find('expiry'), { timeout: 30_000 }).toBeUndefined();
    // The wrong one forgets its leases before it has given them back.
    await right.leases.start();
    await expect.poll(() => right.leases.find('expiry'), { timeout: 30_000 }).toBeDefined();
    await wrong.leases.start();
    expect(wrong.leases.find('expiry')).toBeUndefined();
  },
);
