import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { webhookStates } from '../../src/domain/delivery.ts';
import { TestReceiver, WAIT } from '../operations/webhooks/receiver-app.ts';
import {
  firstKeyOf,
  petstore,
  type Service,
  startService,
  stopService,
} from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { rawReceiver } from '../webhooks/receivers.ts';

const ALLOW = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8' };
let folder: string;
let receiver: TestReceiver;
let key: string;

beforeEach(async () => {
  const temporary = temporaryFolder();
  folder = temporary.path;
  const opened = await new TestReceiver().listen();
  receiver = opened;
  return () => {
    temporary.remove();
    opened.close();
  };
});

async function start(environment: Record<string, string> = {}): Promise<Service> {
  const service = await startService(folder, { ...ALLOW, ...environment });
  key ||= '';
  if (/^psk_\w{50}$/m.test(service.output())) key = firstKeyOf(service);
  return service;
}

async function call(service: Service, method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.address}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  return { status: response.status, text, body: (text ? JSON.parse(text) : undefined) as any };
}

async function createWebhook(service: Service, url = receiver.url) {
  const { status, body, text } = await call(service, 'POST', '/webhooks', { url });
  expect(status, text).toBe(201);
  return body;
}

/** As if the URL of the webhook had answered its first ping. */
function verify(id: number): void {
  const db = new Database(join(folder, 'petstore.db'), { timeout: 5_000 });
  const enabled = webhookStates.indexOf('enabled');
  db.prepare('UPDATE webhooks SET is_verified = 1, state = ? WHERE id = ?').run(enabled, id);
  db.close();
}

async function isEnabled(service: Service, id: number): Promise<void> {
  const state = async () => (await call(service, 'GET', `/webhooks/${id}`)).body.state;
  // Plan Free allows 60 requests in a minute.
  await expect.poll(state, { ...WAIT, interval: 1_000 }).toBe('enabled');
}

describe('the secret of a webhook', () => {
  it('is in no file, log, backup or later response, and the key that seals it is for its owner alone', async () => {
    const service = await start();
    const { id, secret } = await createWebhook(service);
    await isEnabled(service, id);
    const { body: rotated } = await call(service, 'POST', `/webhooks/${id}/rotate`);
    const later = [
      await call(service, 'GET', `/webhooks/${id}`),
      await call(service, 'GET', '/webhooks'),
      await call(service, 'GET', `/webhooks/${id}/attempts`),
      await call(service, 'GET', '/events'),
      await call(service, 'POST', '/webhooks', { url: 'https://10.0.0.1/', secret }),
    ];
    const copy = join(folder, 'copy.db');
    const backup = await petstore(['server', 'backup', '--to', copy], {
      PETSTORE_DATA_DIR: folder,
    });
    expect(backup.stdout).toContain('does not contain the key');
    await stopService(service);
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    const written = Buffer.concat([
      ...files,
      Buffer.from(service.output() + later.map(({ text }) => text).join('')),
    ]);
    for (const text of [secret, rotated.secret]) {
      expect(written.includes(text.slice('whsec_'.length + 4))).toBe(false);
      const bytes = Buffer.from(text.slice('whsec_'.length), 'base64');
      expect(written.includes(bytes)).toBe(false);
    }
    expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600);
    const sealing = readFileSync(join(folder, 'secret.key'), 'utf8').trim();
    expect(readFileSync(copy).includes(sealing)).toBe(false);
  });

  it('is not used without the key that sealed it: the start is refused in one line', async () => {
    const first = await start();
    const { id } = await createWebhook(first);
    await isEnabled(first, id);
    await stopService(first);
    const old = readFileSync(join(folder, 'secret.key'), 'utf8').trim();
    rmSync(join(folder, 'secret.key'));
    const settings = { PETSTORE_DATA_DIR: folder, PETSTORE_PORT: '0' };
    for (const environment of [{}, { PETSTORE_SECRET_KEY: randomBytes(32).toString('base64') }]) {
      const refused = await petstore(['serve'], { ...settings, ...environment });
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toMatch(/^petstore: [^\n]*PETSTORE_SECRET_KEY[^\n]*\n$/);
    }
    const received = receiver.received.length;
    const both = `${randomBytes(32).toString('base64')},${old}`;
    const second = await start({ PETSTORE_SECRET_KEY: both });
    expect((await call(second, 'POST', `/webhooks/${id}/ping`)).body.outcome).toBe('delivered');
    expect(receiver.received.length).toBe(received + 1);
    writeFileSync(join(folder, 'secret.key'), 'nonsense', { mode: 0o600 });
    await stopService(second);
    const damaged = await petstore(['serve'], settings);
    expect(damaged.stderr).toMatch(/^petstore: [^\n]*secret\.key must hold 32 bytes[^\n]*\n$/);
  });

  it('whose key is lost gets a new one, is disabled, and goes on when its owner enables it', async () => {
    const first = await start({ PETSTORE_WEBHOOK_VERIFY: 'none' });
    const webhook = await createWebhook(first);
    await stopService(first);
    rmSync(join(folder, 'secret.key'));
    const settings = { PETSTORE_DATA_DIR: folder };
    const asked = await petstore(['server', 'webhooks', 'reset'], settings);
    expect([asked.exitCode, asked.stderr]).toEqual([1, expect.stringContaining('add --yes')]);
    const reset = await petstore(['server', 'webhooks', 'reset', '--yes'], settings);
    expect(reset.stdout).toContain('1 webhook disabled');
    expect(reset.stdout).not.toContain('whsec_');
    const again = await petstore(['server', 'webhooks', 'reset', '--yes'], settings);
    expect(again.stdout).toContain('nothing was changed');
    const second = await start();
    const path = `/webhooks/${webhook.id}`;
    expect((await call(second, 'GET', path)).body).toMatchObject({ state: 'disabled' });
    const { body: rotated } = await call(second, 'POST', `${path}/rotate`, { overlapSeconds: 0 });
    await call(second, 'PATCH', path, { state: 'enabled' });
    const before = receiver.received.length;
    await call(second, 'POST', '/categories', { name: 'later' });
    await expect.poll(() => receiver.received.length, WAIT).toBeGreaterThan(before);
    const { headers, body } = receiver.received.at(-1)!;
    const check = new Webhook(rotated.secret);
    expect(() => check.verify(body, headers as Record<string, string>)).not.toThrow();
  });
});

describe('SIGTERM', () => {
  it('answers a ping and a redelivery whose receiver hangs, with their outcome, and exits 0', async () => {
    const service = await start({ PETSTORE_WEBHOOKS: 'off' });
    const hanging = await rawReceiver(() => undefined);
    const { id } = await createWebhook(service, hanging.url);
    verify(id);
    const sent = [
      call(service, 'POST', `/webhooks/${id}/ping`),
      call(service, 'POST', `/webhooks/${id}/deliveries`, { eventId: '1' }),
    ];
    await expect.poll(() => hanging.connections, WAIT).toBe(2);
    service.process.kill('SIGTERM');
    for (const { status, text, body } of await Promise.all(sent)) {
      expect(status, text).toBe(200);
      expect(body).toMatchObject({ outcome: 'connection' });
    }
    expect(await service.exited).toBe(0);
    const again = await start({ PETSTORE_WEBHOOKS: 'off' });
    const { body: attempts } = await call(again, 'GET', `/webhooks/${id}/attempts`);
    expect(attempts).toHaveLength(2);
  });

  it('ends a service whose receivers hang, with exit code 0, and the next start goes on', async () => {
    const service = await start();
    const { id } = await createWebhook(service);
    await isEnabled(service, id);
    const hanging = await rawReceiver(() => undefined);
    receiver.close();
    await call(service, 'PATCH', `/webhooks/${id}`, { url: hanging.url });
    await expect.poll(() => hanging.connections, WAIT).toBeGreaterThan(0);
    service.process.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(service.output()).toContain('"stopped"');
    const again = await start();
    const before = hanging.connections;
    await expect.poll(() => hanging.connections, WAIT).toBeGreaterThan(before);
    const { body } = await call(again, 'GET', `/webhooks/${id}`);
    expect(body).toMatchObject({ state: 'unverified' });
  });
});
