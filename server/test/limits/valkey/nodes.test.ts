import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/domain/key.ts';
import type { ValkeyLimiter } from '../../../src/limits/valkey/valkey-limiter.ts';
import { repeats } from '../../support/effort.ts';
import { seed } from '../../support/seed.ts';
import { onRedis, startRedis, type TestServer } from '../../support/servers.ts';
import { History, rules, type Subject, VirtualClock } from '../history.ts';
import { LimitDatabase } from '../limit-database.ts';
import { openNode, workspaceIds } from './valkey-server.ts';

const nextWorkspace = workspaceIds();
const nodes: ValkeyLimiter[] = [];
const failures: unknown[] = [];
let redis: TestServer;

beforeAll(async () => {
  redis = await startRedis();
  for (let node = 0; node < 9; node++) {
    const opened = await openNode({ url: redis.url, onStoreFailure: (err) => failures.push(err) });
    nodes.push(opened.limiter);
  }
});

afterAll(async () => {
  for (const node of nodes) await node.close();
  await redis.stop();
});

function newCaller(perDay: number): Caller {
  const workspaceId = nextWorkspace();
  const limits = { perMinute: 1_000_000, perDay };
  return { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
}

/** Sends all requests at once, spread evenly over the nodes. */
async function admittedOf(load: number, caller: Caller, used: readonly ValkeyLimiter[]) {
  const verdicts = await Promise.all(
    Array.from({ length: load }, (_, sent) => used[sent % used.length]!.admit(caller, 1)),
  );
  return verdicts.filter(({ refusal }) => !refusal).length;
}

describe.each([1, 3, 5, 9])('%i nodes on one store', (count) => {
  test.each([10, 100, 1_000, 10_000])('admit exactly a limit of %i', async (limit) => {
    for (const factor of limit > 1_000 ? [1.1] : [0.9, 1, 1.1, 2]) {
      const load = Math.floor(limit * factor);
      const admitted = await admittedOf(load, newCaller(limit), nodes.slice(0, count));
      expect(admitted).toBe(Math.min(load, limit));
    }
    expect(failures).toEqual([]);
  });
});

test('SCRIPT FLUSH in the middle of a load changes nothing', async () => {
  const caller = newCaller(1_000);
  let admitted = 0;
  for (let round = 0; round < 10; round++) {
    const [more] = await Promise.all([
      admittedOf(150, caller, nodes.slice(0, 3)),
      onRedis(redis.url, 'SCRIPT', 'FLUSH'),
    ]);
    admitted += more;
  }
  expect(admitted).toBe(1_000);
  expect(failures).toEqual([]);
});

test('a ban is saved once, however many requests come before it is saved', async () => {
  const clock = new VirtualClock();
  const db = new LimitDatabase();
  const open = async (store = db.connect()) =>
    (await openNode({ url: redis.url, clock, storeClock: clock, store })).limiter;
  const slow = db.connect();
  const save = slow.saveBan.bind(slow);
  const [given, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  slow.saveBan = async (...ban) => {
    given.resolve();
    await gate.promise;
    await save(...ban);
  };
  const [first, second] = [await open(slow), await open()];
  const caller = newCaller(1);
  await admittedOf(rules.refusalsToBan, caller, [first]);
  const ofOneTick = Promise.all([1, 1, 1].map((cost) => first.admit(caller, cost)));
  await given.promise;
  expect(await second.admit(caller, 1)).toMatchObject({ refusal: { by: 'ban' } });
  gate.resolve();
  expect((await ofOneTick).map(({ refusal }) => refusal?.by)).toEqual(['day', 'ban', 'ban']);
  expect(db.writes).toBe(1);
  await first.close();
  await second.close();
});

test('every key in the store has a time to live', async () => {
  const caller = newCaller(1);
  await admittedOf(5, caller, nodes);
  await nodes[0]!.admitBucket('an address', 5);
  const keys = (await onRedis(redis.url, 'KEYS', '*')) as string[];
  expect(keys.filter((key) => key.includes(`{w:${caller.workspaceId}}`))).toHaveLength(1);
  expect(keys).toContain('petstore:{b:an address}');
  // -1 is a key that never expires. One that has expired meanwhile is -2.
  for (const key of keys) expect(await onRedis(redis.url, 'PTTL', key)).not.toBe(-1);
});

test('three nodes take no wrong decision in random histories, as one limiter', async () => {
  const wanted = repeats({ usual: 2_500, thorough: 100_000 });
  const subject = await sharedSubject();
  const history = new History(seed, subject, 12);
  await history.run(wanted).catch((err: unknown) => {
    throw new Error(`SEED=${seed}: ${err instanceof Error ? err.message : err}`);
  });
  await subject.close();
  console.log(`seed ${seed}:`, history.decisions, 'decisions,', history.bans, 'bans');
  expect(history.bans).toBeGreaterThan(0);
});

async function sharedSubject(): Promise<Subject & { close(): Promise<void> }> {
  const clock = new VirtualClock();
  const db = new LimitDatabase();
  const open = async () => {
    const { url } = redis;
    const options = { url, clock, storeClock: clock, store: db.connect() };
    const onStoreFailure = (err: unknown) => failures.push(err);
    return (await openNode({ ...options, onStoreFailure })).limiter;
  };
  const used = [await open(), await open(), await open()];
  let turn = 0;
  const liftElsewhere = async ({ clients, pick }: History) => {
    const { caller, model } = pick(clients);
    const row = db.bans.get(caller.keyId);
    if (!row || row.until !== model.key(caller.keyId).ban?.endsAt) return;
    row.until = 0;
    clock.at += 1_000;
    model.lift(caller.keyId);
  };
  const replaceNode = async ({ random }: History) => {
    const index = Math.floor(random() * used.length);
    await used[index]!.close();
    used[index] = await open();
  };
  return {
    clock,
    db,
    limiter: () => used[turn++ % used.length]!,
    events: [liftElsewhere, replaceNode],
    close: async () => {
      for (const node of used) await node.close();
      expect(failures).toEqual([]);
    },
  };
}
