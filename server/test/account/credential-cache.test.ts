import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { LoggedChange } from '../../src/datastore/cluster/changes.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { KeyReader } from '../../src/datastore/keys.ts';
import { Refusal } from '../../src/domain/errors.ts';
import { generateApiKey } from '../../src/lib/api-key.ts';
import { CredentialCache } from '../../src/services/credential-cache.ts';
import { createKey } from '../../src/services/keys.ts';
import { openSession } from '../../src/services/sessions.ts';
import { bootstrap } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { heapBytes } from './heap.ts';
import { NINE } from './still-clock.ts';

const KEYS = 1_000;
const WRONG_KEYS = 20_000;

/** Counts the look-ups in the database, and lets a test hold them up. */
class WatchedKeys extends KeyReader {
  readonly #keys: KeyReader;
  asked = 0;
  gate: Promise<void> = Promise.resolve();

  constructor(keys: KeyReader) {
    super(undefined as never);
    this.#keys = keys;
  }

  override async findCredential(digest: string) {
    this.asked += 1;
    const found = await this.#keys.findCredential(digest);
    await this.gate;
    return found;
  }
}

const folder = temporaryFolder();
let store: Datastore;
let keys: WatchedKeys;
let cache: CredentialCache;
let now: number;
let isLogRead: boolean;

beforeAll(async () => {
  ({ store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path })));
  await bootstrap(store, { keyText: undefined, now: NINE });
});
afterAll(async () => {
  await store.close();
  folder.remove();
});
beforeEach(() => {
  now = NINE;
  keys = new WatchedKeys(store.read.keys);
  isLogRead = true;
  cache = new CredentialCache({ keys, clock: { now: () => now }, isLogRead: () => isLogRead });
});

function makeKey() {
  const input = { name: 'test', scopes: ['read'] as const };
  return store.transact((tx) => createKey(tx, { workspaceId: 1, key: input, now: NINE }));
}

async function codeOf(key: string): Promise<string> {
  const found = await cache.identify(key);
  return found instanceof Refusal ? found.code : 'known';
}

describe('the cache of credentials', () => {
  it('asks the database once a minute for each of 1,000 keys that are in use', async () => {
    const inUse = (await Promise.all(Array.from({ length: KEYS }, makeKey))).map(({ key }) => key);
    const useAll = async () => {
      for (const key of inUse) expect(await codeOf(key)).toBe('known');
    };
    for (let i = 0; i < 5; i++) await useAll();
    now += 59_999;
    await useAll();
    expect(keys.asked).toBe(KEYS);
    now += 1;
    for (let i = 0; i < 5; i++) await useAll();
    expect(keys.asked).toBe(2 * KEYS);
  });

  it('drops what has changed and nothing else', async () => {
    const [changed, other] = [await makeKey(), await makeKey()];
    for (const { key } of [changed, other]) await codeOf(key);
    const { id } = changed.record;
    const drop = (change: Partial<LoggedChange>) =>
      cache.drop({ workspaceId: 1, kind: 'key', subject: id, ...change });
    drop({ workspaceId: 2 });
    drop({ kind: 'webhook' });
    for (const { key } of [changed, other]) await codeOf(key);
    expect(keys.asked).toBe(2);
    drop({});
    for (const { key } of [changed, other]) await codeOf(key);
    expect(keys.asked).toBe(3);
    drop({ kind: 'workspace', subject: '1' });
    for (const { key } of [changed, other]) await codeOf(key);
    expect(keys.asked).toBe(5);
  });

  it('drops a session with its key', async () => {
    const parent = await makeKey();
    const { secret } = await store.transact((tx) => {
      const limits = { perMinute: 1, perDay: 1 };
      const caller = { workspaceId: 1, keyId: parent.record.id, scopes: [], limits };
      return openSession(tx, { caller, now: NINE });
    });
    expect(await codeOf(secret)).toBe('known');
    await store.transact((tx) => tx.keys.revoke(1, parent.record.id, NINE));
    cache.drop({ workspaceId: 1, kind: 'key', subject: parent.record.id });
    expect(await codeOf(secret)).toBe('invalid_api_key');
  });

  it('asks the database every time while changes cannot be read', async () => {
    const { key } = await makeKey();
    await codeOf(key);
    isLogRead = false;
    for (let i = 0; i < 3; i++) expect(await codeOf(key)).toBe('known');
    expect(keys.asked).toBe(4);
  });

  it('refuses a mistyped key without a look-up', async () => {
    const { key } = await makeKey();
    const last = key.endsWith('x') ? 'y' : 'x';
    for (const mistyped of [`${key.slice(0, -1)}${last}`, `${key}0`, key.slice(1), '', 'psk_']) {
      expect(await codeOf(mistyped)).toBe('invalid_api_key');
    }
    expect(keys.asked).toBe(0);
  });

  it('does not cache after a change what it read before', async () => {
    const { key, record } = await makeKey();
    let open = () => {};
    keys.gate = new Promise((resolve) => {
      open = resolve;
    });
    const before = codeOf(key);
    await store.transact((tx) => tx.keys.revoke(1, record.id, NINE));
    cache.drop({ workspaceId: 1, kind: 'key', subject: record.id });
    open();
    await before;
    expect(await codeOf(key)).toBe('invalid_api_key');
  });

  it('keeps its memory and its cached keys in a flood of wrong keys', async () => {
    const { key } = await makeKey();
    await cache.identify(key);
    const before = heapBytes();
    for (let i = 0; i < WRONG_KEYS; i++) {
      if ((await codeOf(generateApiKey().key)) !== 'invalid_api_key')
        throw new Error('a wrong key was accepted');
    }
    expect(heapBytes() - before).toBeLessThan(3_000_000);
    const { asked } = keys;
    expect(await codeOf(key)).toBe('known');
    expect(keys.asked).toBe(asked);
  });
});
