import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sendBrokenDeliveries } from './broken-deliveries.ts';
import { createCategory, createWebhook, WAIT } from './receiver-app.ts';

const docs = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');
const secret = `whsec_${Buffer.alloc(32, 'docs').toString('base64')}`;

it('the receiver of the docs takes what is signed, once, and survives all else', async () => {
  const app = await testApp();
  const folder = temporaryFolder();
  const file = join(folder.path, 'receiver.mjs');
  const source = /```js\n(\/\/ receiver\.mjs[\s\S]*?)```/.exec(docs)![1]!;
  expect(source.trim().split('\n').length).toBeLessThanOrEqual(21);
  writeFileSync(file, source);
  const port = await freePort();
  const environment = { ...process.env, SECRET: secret, PORT: String(port) };
  const child = spawn(process.execPath, [file], { env: environment, stdio: 'pipe' });
  let output = '';
  let log = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    folder.remove();
  });
  await expect.poll(() => log, WAIT).toContain('listening');
  const url = `http://127.0.0.1:${port}/hooks`;
  expect(await sendBrokenDeliveries(url)).toEqual([401, 401, 401, 401, 401]);
  const { id } = await createWebhook(app, { url, secret, types: ['category.*'] });
  await createCategory(app, 'Zoë 🐕');
  const lines = () => output.trim().split('\n').filter(Boolean);
  await expect.poll(() => lines().length, WAIT).toBe(2);
  expect(lines().map((line) => JSON.parse(line).type)).toEqual(['ping', 'category.created']);
  const event = JSON.parse(lines()[1]!);
  await app.call('POST', `/v1/webhooks/${id}/deliveries`, { body: { eventId: event.id } });
  const forged = await fetch(url, {
    method: 'POST',
    body: lines()[1]!,
    headers: {
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    },
  });
  expect(forged.status).toBe(401);
  expect(lines()).toHaveLength(2);
});
