// Secrets and planted words in every field, header and query of every operation: none of them is where it must not be.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runCommand } from '../../src/cli/run-command.ts';
import { tables } from '../../src/datastore/tables.ts';
import { operations } from '../../src/operations/operations.ts';
import { exampleRequests, optionsFor, World } from '../operations/example-requests.ts';
import { exported, filesIn } from '../operations/workspace/archive-files.ts';
import { type Answer, type TestApp, testApp } from '../support/app.ts';
import { captureOutput } from '../support/captured-output.ts';
import { spansIn } from '../support/otlp.ts';

/** In every text of a body. Names are stored, and a change of a name is audited. */
const IN_BODY = 'planted-in-a-body-4711';
/** In headers, cookies, queries and keys that are refused. */
const ELSEWHERE = 'planted-elsewhere-4712';
/** In the query of the URL of a webhook, which is stored there alone. */
const IN_URL = 'planted-in-a-url-4713';

const lines: string[] = [];
const spans: string[] = [];
const secrets = new Set<string>();
const collector = createServer(async (request, response) => {
  for (const span of await spansIn(request)) spans.push(JSON.stringify(span));
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
captureOutput();
let app: TestApp;

beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as { port: number };
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`);
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '50');
  const environment = { PETSTORE_SIGNUP: 'open', PETSTORE_BAN_AFTER: '2' };
  app = await testApp({ engine: 'sqlite', lines, environment });
  collect(app.key);
});
afterAll(() => {
  collector.closeAllConnections();
  collector.close();
});

/** Remembers every key, session and signing secret in a text. */
function collect(text: string): void {
  for (const [key] of text.matchAll(/psk_\w{40,}/g)) secrets.add(key.slice(16, 44));
  for (const [, secret] of text.matchAll(/whsec_([\w+/=-]{16,})/g)) secrets.add(secret!);
}

/** The same value with the word in every text. */
function planted(value: unknown): unknown {
  if (typeof value === 'string') return `${value} ${IN_BODY}`;
  if (Array.isArray(value)) return value.map(planted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, planted(each)]));
}

const headers = {
  'user-agent': ELSEWHERE,
  'x-secret': ELSEWHERE,
  referer: `http://x/?${ELSEWHERE}`,
};

async function send(method: string, path: string, options: object): Promise<Answer> {
  const answer = await app.call(method, `/v1${path}`, options);
  collect(`${answer.text} ${answer.headers.get('set-cookie')}`);
  return answer;
}

async function driveEveryOperation(): Promise<void> {
  const world = new World(app, app.key);
  for (const { id, method } of operations) {
    const request = await exampleRequests[id]!(world);
    if (id === 'streamEvents') continue;
    const { path, body } = request;
    const own = optionsFor(request, { headers });
    await send(method, path, own);
    const again = path.includes('?') ? '&' : '?';
    await send(method, `${path}${again}secret=${ELSEWHERE}`, own);
    await send(method, path, { ...own, key: `psk_${ELSEWHERE}` });
    await send(method, path, { ...own, headers: { ...headers, cookie: `petstore=${ELSEWHERE}` } });
    if (body !== undefined) await send(method, path, { ...own, body: planted(body) });
  }
  const url = `http://127.0.0.1:9/hooks?token=${IN_URL}`;
  const webhook = await app.call('POST', '/v1/webhooks', { body: { url }, headers });
  collect(webhook.text);
  await app.call('PATCH', `/v1/webhooks/${webhook.body.id}`, { body: { url: `${url}2` } });
  await app.call('POST', `/v1/webhooks/${webhook.body.id}/ping`);
  await app.call('GET', '/v1/usage');
}

async function rowsByTable(): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  await app.transact(async (tx) => {
    for (const table of tables) {
      const page = await tx.tables.page(table, undefined, 100_000);
      rows.set(table.name, JSON.stringify(page));
    }
  });
  return rows;
}

/** The files of the archives of all workspaces, as the owner of the first and as the operator get them. */
async function archives(): Promise<string> {
  const { body } = await app.call('GET', '/v1/admin/workspaces?limit=100');
  const paths = body.map(({ id }: { id: number }) => `/admin/workspaces/${id}/export`);
  const texts: string[] = [];
  for (const path of ['/workspace/export', ...paths]) {
    const files = filesIn(await exported(app, path));
    texts.push(...[...files].flat());
  }
  return texts.join('\n');
}

it('are in no row, line of the log, span, metric, archive or backup', async () => {
  await driveEveryOperation();
  await vi.waitFor(() => expect(spans.length).toBeGreaterThan(50), { timeout: 30_000 });
  const rows = await rowsByTable();
  const metrics = await (await fetch(`${app.address}/metrics`)).text();
  vi.stubEnv('PETSTORE_DATA_DIR', app.config.PETSTORE_DATA_DIR);
  const copy = `${app.config.PETSTORE_DATA_DIR}/copy.db`;
  expect(await runCommand(['server', 'backup', '--to', copy])).toBe(0);
  const observed = new Map([
    ['log', lines.join('')],
    ['metrics', metrics],
    ['spans', spans.join('')],
    ['manifest', readFileSync(`${copy}.json`, 'utf8')],
  ]);
  // These hold the records, so words of bodies and URLs of webhooks belong there.
  const copies = new Map([
    ['archives', await archives()],
    ['backup', readFileSync(copy, 'latin1')],
  ]);
  for (const [name, text] of [...observed, ...copies]) {
    expect(text.length, name).toBeGreaterThan(10);
  }
  for (const name of ['audit_log', 'request_log', 'events']) {
    expect(rows.get(name)!.length, name).toBeGreaterThan(1_000);
  }
  expect(secrets.size).toBeGreaterThan(10);
  const where = (word: string, texts: Map<string, string>) =>
    [...texts].filter(([, text]) => text.includes(word)).map(([name]) => name);

  for (const secret of secrets) {
    expect(where(secret, rows), 'a secret').toEqual([]);
    expect(where(secret, observed), 'a secret').toEqual([]);
    expect(where(secret, copies), 'a secret').toEqual([]);
  }
  for (const texts of [rows, observed, copies]) expect(where(ELSEWHERE, texts)).toEqual([]);
  expect(where(IN_BODY, observed)).toEqual([]);
  expect(where(IN_BODY, rows)).not.toContain('request_log');
  expect(where(IN_URL, observed)).toEqual([]);
  expect(where(IN_URL, rows)).not.toContain('audit_log');
  expect(where(IN_URL, rows)).not.toContain('request_log');
  // What is searched for is there where it belongs.
  expect(where(IN_BODY, rows)).toContain('pets');
  expect(where(IN_URL, rows)).toContain('webhooks');
  expect(where(IN_BODY, copies)).toEqual(['archives', 'backup']);
  expect(where(IN_URL, copies)).toEqual(['archives', 'backup']);
});
