import { Readable, Writable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import type { Terminal } from '../../src/cli/command.ts';
import { operationCommands } from '../../src/cli/commands.ts';
import { runApiCommand } from '../../src/cli/main.ts';

let app: TestApp;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
});

/** Runs a command with pipes in place of a terminal. */
async function petstore(...args: string[]) {
  const texts = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof texts) =>
    new Writable({
      write(chunk, _, done) {
        texts[name] += String(chunk);
        done();
      },
    });
  const terminal = {
    stdin: Readable.from([]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    env: { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` },
    signal: new AbortController().signal,
  } as unknown as Terminal;
  return { code: await runApiCommand(args, terminal), ...texts };
}

describe('--dry-run', () => {
  it('says yes or no and changes nothing', async () => {
    const place = ['orders', 'place', '--pet-id', '1', '--dry-run', '--json'];
    const yes = await petstore(...place);
    expect([yes.code, yes.stderr]).toEqual([0, '']);
    expect(JSON.parse(yes.stdout)).toMatchObject({ petId: 1, quantity: 1, complete: false });
    expect(JSON.parse(yes.stdout)).not.toHaveProperty('id');
    const no = await petstore(...place, '--quantity', '2');
    expect([no.code, no.stdout]).toEqual([1, '']);
    expect(no.stderr).toContain('insufficient_stock');
    expect((await app.call('GET', '/v1/store/orders')).body).toEqual([]);
  });

  it('of a delete asks nothing, because nothing is deleted', async () => {
    expect((await petstore('pets', 'delete', '1', '--dry-run')).code).toBe(0);
    expect((await app.call('GET', '/v1/pets?id=1')).body).toHaveLength(1);
  });

  it('is an unknown option where the operation has no dry run', async () => {
    const refused = await petstore('keys', 'revoke', 'AAAAAAAAAAAA', '--dry-run');
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('unknown option --dry-run');
  });

  it('is there for the writes of pets, categories, stock, orders and the workspace', () => {
    const names = operationCommands.filter(({ hasDryRun }) => hasDryRun).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['pets create-many', 'stock set', 'workspaces set']),
    );
    expect(names.filter((name) => /keys|webhooks|bans|sign-up/.test(name))).toEqual([]);
  });
});
