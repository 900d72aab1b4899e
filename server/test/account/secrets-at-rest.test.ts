import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../src/lib/api-key.ts';
import { type TestApp, testApp } from '../support/app.ts';

const SECRET_START = 16;
const CHECKSUM_START = 48;

let app: TestApp;

beforeAll(async () => {
  // The files of SQLite can be read from beside it, its log of the latest writes included.
  app = await testApp({ engine: 'sqlite', environment: { PETSTORE_SIGNUP: 'open' } });
});

function writtenBytes(): Buffer {
  const folder = app.config.PETSTORE_DATA_DIR;
  return Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))));
}

/** Sends a request that creates a key twice: what the second answer lacks is the key. */
async function createTwice(path: string, body: unknown): Promise<{ id: string; key: string }> {
  const headers = { 'idempotency-key': `once ${path}`.replaceAll(' ', '-') };
  const first = await app.call('POST', path, { body, headers });
  const again = await app.call('POST', path, { body, headers });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const created = first.body.workspace ? first.body.key : first.body;
  const repeated = again.body.workspace ? again.body.key : again.body;
  const { key, ...rest } = created;
  expect(key).toMatch(/^psk_/);
  expect(repeated).toEqual(rest);
  return created;
}

describe('a key', () => {
  it('is in the first answer only, and in no file of the service', async () => {
    const made = await createTwice('/v1/keys', { name: 'once', scopes: ['read'] });
    const rotated = await createTwice(`/v1/keys/${made.id}/rotate`, {});
    const operators = await createTwice('/v1/admin/workspaces', { name: 'once' });
    const signedUp = await createTwice('/v1/signup', { name: 'once' });
    const { body: keys } = await app.call('GET', '/v1/keys');
    expect(keys.length).toBe(3);
    const { body: workspaces } = await app.call('GET', '/v1/admin/workspaces');
    expect(workspaces.length).toBe(3);

    const written = writtenBytes();
    for (const key of [app.key, made.key, rotated.key, operators.key, signedUp.key]) {
      expect(written.includes(digestOf(key))).toBe(true);
      expect(written.includes(key.slice(SECRET_START, CHECKSUM_START))).toBe(false);
      expect(written.includes(key.slice(SECRET_START + 8, CHECKSUM_START - 8))).toBe(false);
    }
  });
});
