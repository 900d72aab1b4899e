// A change and its row of the audit log are committed together: after kill -9 there is neither without the other.

import { expect, it, onTestFinished } from 'vitest';
import { generateApiKey } from '../../src/lib/api-key.ts';
import { repeats } from '../support/effort.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = repeats({ usual: 4, thorough: 1_000 });
const AT_ONCE = 8;

it('keys and their rows are the same ones after every kill', { timeout: 0 }, async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const { key } = generateApiKey();
  const environment = { PETSTORE_BOOTSTRAP_KEY: key };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  let service = await startService(folder.path, environment);
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
  await fetch(`${service.address}/v1/admin/workspaces/1`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ plan: 'enterprise', limits }),
  });
  for (let kill = 0; kill < KILLS; kill++) {
    const { address, process } = service;
    let sent = 0;
    const create = async () => {
      for (;;) {
        const body = JSON.stringify({ name: `key ${sent++}`, scopes: ['read'] });
        await fetch(`${address}/v1/keys`, { method: 'POST', headers, body });
        if (sent === AT_ONCE + 3 * (kill % 7)) process.kill('SIGKILL');
      }
    };
    await Promise.allSettled(Array.from({ length: AT_ONCE }, create));
    await service.exited;
    service = await startService(folder.path, environment);
    const ids = await all(`${service.address}/v1/keys?limit=100`, headers, ({ id }) => `key:${id}`);
    const rows = `${service.address}/v1/audit?action=key.created&limit=100`;
    const targets = await all(rows, headers, ({ target }) => target);
    expect(targets.sort()).toEqual(ids.sort());
    expect(ids.length).toBeGreaterThan(kill);
  }
  service.process.kill('SIGKILL');
  await service.exited;
});

/** What `pick` returns of every row of a list. */
async function all(
  url: string,
  headers: Record<string, string>,
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  pick: (row: any) => string,
): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | undefined = url; next; ) {
    const response: Response = await fetch(next, { headers });
    expect(response.status).toBe(200);
    found.push(...((await response.json()) as unknown[]).map(pick));
    const path: string | undefined = /<([^>]+)>; rel="next"/.exec(
      response.headers.get('link') ?? '',
    )?.[1];
    next = path && new URL(path, url).href;
  }
  return found;
}
