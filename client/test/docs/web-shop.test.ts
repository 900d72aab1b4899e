// Follows docs/web-shop.md, step by step.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { packClient } from '../../../scripts/pack-client.ts';
import { sendBrokenDeliveries } from '../../../server/test/operations/webhooks/broken-deliveries.ts';
import { freePort } from '../../../server/test/support/free-port.ts';
import { firstKeyOf, startService } from '../../../server/test/support/service.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { installPetstore } from '../support/terminal.ts';

const page = readFileSync(new URL('../../../docs/web-shop.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```(sh|js)\n(.*?)```/gs)].map(([, language, text]) => ({
  language,
  text: text!,
}));

/** The block that contains this, which the page shows once. */
function blockWith(part: string): string {
  const found = blocks.filter(({ text }) => text.includes(part));
  expect(found).toHaveLength(1);
  return found[0]!.text;
}

it('the shop of docs/web-shop.md opens, sells and hears of its orders', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const bin = join(folder.path, 'bin');
  const shop = join(folder.path, 'shop');
  for (const path of [bin, shop]) mkdirSync(path);
  installPetstore(bin);
  const env = { ...process.env, HOME: folder.path, PATH: `${bin}:${process.env.PATH}` };
  const bash = async (line: string, more: Record<string, string> = {}) => {
    const options = { cwd: shop, env: { ...env, ...more } };
    return (await promisify(execFile)('bash', ['-e', '-c', line], options)).stdout;
  };

  // 1. The settings of the first block, and the service that its last line starts.
  const [settings, start] = blockWith('npm start').trim().split('\n');
  expect(start).toBe('npm start');
  const variables = /^(PETSTORE_\w+)=(.+)$/gm;
  const exported = await bash(`${settings}\nenv | grep -E '^PETSTORE_(SECRET_KEY|WEBHOOK_ALLOW)='`);
  const given = Object.fromEntries(
    [...exported.matchAll(variables)].map(([, name, value]) => [name!, value!]),
  );
  expect(Object.keys(given)).toHaveLength(2);
  const data = join(folder.path, 'data');
  mkdirSync(data);
  const service = await startService(data, given);
  const demo = blockWith('npx petstore').replace('npx petstore', 'petstore');
  expect(await bash(demo, { ...given, PETSTORE_DATA_DIR: data })).toContain('20 pets');

  // 2. The key of the shop.
  const line = blockWith('/v1/keys')
    .replace(/^export .*\n/, '')
    .replace('http://127.0.0.1:8080', service.address);
  const created = await bash(line, { PETSTORE_API_KEY: firstKeyOf(service) });
  const { key } = JSON.parse(created) as { key: string };

  // 3. The client. npm needs no registry for it.
  const [, install] = blockWith('pack-client').trim().split('\n');
  writeFileSync(join(shop, 'package.json'), '{"private":true}');
  packClient(shop);
  execFileSync('bash', ['-c', `${install} --offline --no-audit --no-fund --loglevel=error`], {
    cwd: shop,
  });

  // 4. and 5. The shop.
  writeFileSync(join(shop, 'shop.mjs'), blockWith('// shop.mjs'));
  expect(blockWith('node shop.mjs').trim()).toBe('node shop.mjs');
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['shop.mjs'], {
    cwd: shop,
    env: { ...env, PETSTORE_API_KEY: key, PETSTORE_BASE_URL: service.address, PORT: port },
  });
  onTestFinished(() => void child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += String(chunk);
    });
  }
  await expect.poll(() => output).toContain(`The shop is open at ${url}`);
  expect(await sendBrokenDeliveries(`${url}/hooks`)).toEqual([401, 401, 401, 401, 401]);
  const html = await (await fetch(url)).text();
  const [, left, petId] = /: (\d+) left <form method="post" action="\/buy\/(\d+)"/.exec(html)!;
  expect(Number(left)).toBeGreaterThan(0);
  const buy = async () => (await fetch(`${url}/buy/${petId}`, { method: 'POST' })).text();
  const bought = await buy();
  const orderId = /^Order (\d+) is reserved until /.exec(bought)?.[1];
  expect(orderId, `${bought}\n${output}`).toBeDefined();
  await expect.poll(() => output).toContain(`order.placed: order ${orderId}`);
  for (let sold = 1; sold < Number(left); sold++) await buy();
  const refusal = 'Sorry, only 0 left.';
  expect(page).toContain(`\`buy\` answers \`${refusal}\``);
  expect(await buy()).toBe(refusal);

  // An empty shelf is no failure.
  const call = (method: string, path: string, body?: object) =>
    fetch(`${service.address}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${firstKeyOf(service)}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  expect((await call('PATCH', '/workspace', { plan: 'business' })).status).toBe(200);
  const stock = await (await call('GET', '/inventory?status=available&limit=100')).json();
  for (const { petId: id } of stock as { petId: number }[]) {
    expect((await call('PATCH', `/pets/${id}`, { status: 'pending' })).status).toBe(200);
  }
  const empty = await fetch(url);
  expect([empty.status, await empty.text()]).toEqual([200, expect.stringContaining('<ul></ul>')]);
});
