import { expect, it } from 'vitest';
import { JOB_LEASE_MS } from '../../src/datastore/cluster/leases.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import type { Opened } from './fixture.ts';

let names = 0;
const newName = () => `job ${names++}`;

/** The number of the lease; undefined when another has it. */
async function take(store: Datastore, name: string, holder: string, nodeNow = Date.now()) {
  const request = { names: [name], holder, nodeNow };
  return (await store.transact((tx) => tx.leases.take(request))).get(name);
}

const isFree = async (store: Datastore, name: string, holder: string, nodeNow = Date.now()) =>
  (await store.read.leases.free({ names: [name], holder, nodeNow })).length === 1;

const isCurrent = (store: Datastore, name: string, number: number) =>
  store.transact(async (tx) => (await tx.leases.check(name, number, Date.now())) !== undefined);

export function leaseSuite(opened: Opened): void {
  /** As if this much time had passed since the lease was taken. */
  const pass = (name: string, milliseconds: number) =>
    opened().execute(`UPDATE leases SET until = until - ${milliseconds} WHERE name = '${name}'`);

  it('gives a job to one of many nodes that ask at once', async () => {
    const { store, other } = opened();
    const name = newName();
    const asked = Array.from({ length: 20 }, (_, at) =>
      take(at % 2 ? store : other, name, `node ${at}`),
    );
    expect((await Promise.all(asked)).filter((number) => number !== undefined)).toEqual([1]);
  });

  it('renews a lease under the same number, and passes it on under a higher one when it has ended', async () => {
    const { store, other } = opened();
    const name = newName();
    expect(await isFree(store, name, 'a')).toBe(true);
    expect(await take(store, name, 'a')).toBe(1);
    expect(await take(store, name, 'a')).toBe(1);
    expect(await isFree(store, name, 'a')).toBe(true);
    expect(await isFree(other, name, 'b')).toBe(false);
    expect(await take(other, name, 'b')).toBeUndefined();
    await pass(name, JOB_LEASE_MS);
    expect(await isFree(other, name, 'b')).toBe(true);
    expect(await take(other, name, 'b')).toBe(2);
    expect(await isCurrent(store, name, 1)).toBe(false);
    expect(await isCurrent(store, name, 2)).toBe(true);
    expect(await take(store, name, 'a')).toBeUndefined();
  });

  it('takes a lease at once that was given back, or that a clock set back would keep for too long', async () => {
    const { store } = opened();
    const name = newName();
    await take(store, name, 'a');
    await store.transact((tx) => tx.leases.release('a', Date.now()));
    expect(await isCurrent(store, name, 1)).toBe(true);
    expect(await take(store, name, 'b')).toBe(2);
    await pass(name, -3_600_000);
    expect(await isFree(store, name, 'c')).toBe(true);
    expect(await take(store, name, 'c')).toBe(3);
  });
}
