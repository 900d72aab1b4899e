// npm run observability: runs a node on SQLite and one on PostgreSQL under load, lets a real Prometheus scrape both, and
// checks that its rules load, that they pass their tests, and that every panel of the dashboard shows data. It needs the
// Debian packages prometheus and postgresql.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../server/test/support/free-port.ts';
import { startPostgres } from '../../server/test/support/servers.ts';
import { findOrInstall } from '../test-support/install-packages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rules = join(root, 'deploy/observability');
const folder = mkdtempSync(join(tmpdir(), 'petstore-observability-'));
const children: ChildProcess[] = [];
const failures: string[] = [];
const POLL_MS = 500;
const WAIT_MS = 120_000;
const SECRET_KEY = Buffer.alloc(32, 'observability').toString('base64');

interface Target {
  expr: string;
}

function check(name: string, isOk: boolean, detail: unknown = ''): void {
  console.log(`${isOk ? 'ok  ' : 'FAIL'}  ${name}${isOk ? '' : `\n${String(detail)}`}`);
  if (!isOk) failures.push(name);
}

/** Starts a node, and resolves with its key when it is ready. */
function serve(port: number, environment: Record<string, string>): Promise<string> {
  const env = { ...process.env, PETSTORE_PORT: String(port), ...environment };
  const child = spawn(process.execPath, [join(root, 'server/bin/petstore.js'), 'serve'], { env });
  children.push(child);
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += String(chunk);
      const key = /^psk_\w+$/m.exec(output)?.[0];
      if (key && output.includes('ready at')) resolve(key);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(output)));
  });
}

/** A few requests of each kind, again and again. */
async function load(port: number, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).then((response) => response.text());
  await call('POST', '/v1/categories', { name: 'Dogs' });
  await call('POST', '/v1/pets', { name: 'Rex', categoryId: 1 });
  for (;;) {
    for (const path of ['/v1/pets', '/v1/inventory/1', '/v1/events', '/v1/nowhere']) {
      await call('GET', path);
    }
    await call('POST', '/v1/store/orders', { petId: 1, quantity: 1 });
    await pause(POLL_MS);
  }
}

async function startPrometheus(program: string, targets: readonly string[]): Promise<string> {
  const port = await freePort();
  const config = join(folder, 'prometheus.yml');
  const example = readFileSync(join(rules, 'prometheus.yml'), 'utf8')
    .replaceAll('15s', '1s')
    .replace('rules.yml', join(rules, 'rules.yml'))
    .replace(/targets:\n(?: +- .*\n)+/, `targets: ${JSON.stringify(targets)}\n`);
  writeFileSync(config, example);
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  children.push(spawn(program, [...args, `--web.listen-address=127.0.0.1:${port}`]));
  return `http://127.0.0.1:${port}`;
}

/** How many series an expression has now; those without a number do not count. */
async function countSeries(url: string, expr: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`);
  const { data } = (await response.json()) as { data?: { result: { value: [number, string] }[] } };
  return data?.result.filter(({ value: [, figure] }) => figure !== 'NaN').length ?? 0;
}

async function until(isDone: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    if (await isDone().catch(() => false)) return true;
    await pause(POLL_MS);
  }
  return false;
}

function promtool(program: string, args: readonly string[]): void {
  try {
    execFileSync(program, args, { cwd: rules, stdio: 'pipe' });
    check(`promtool ${args.join(' ')}`, true);
  } catch (err) {
    check(`promtool ${args.join(' ')}`, false, (err as { stdout?: Buffer }).stdout);
  }
}

async function run(): Promise<void> {
  const prometheus = findOrInstall(['prometheus'], ['prometheus']);
  const tool = findOrInstall(['promtool'], ['prometheus']);
  promtool(tool, ['check', 'rules', 'rules.yml']);
  promtool(tool, ['test', 'rules', 'rules.test.yml']);
  promtool(tool, ['check', 'config', 'prometheus.yml']);
  const postgres = await startPostgres();
  try {
    const ports = [await freePort(), await freePort()] as const;
    const keys = await Promise.all([
      serve(ports[0], { PETSTORE_DATA_DIR: join(folder, 'store') }),
      serve(ports[1], { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_SECRET_KEY: SECRET_KEY }),
    ]);
    for (const [at, port] of ports.entries()) load(port, keys[at]!).catch(() => undefined);
    const url = await startPrometheus(
      prometheus,
      ports.map((port) => `127.0.0.1:${port}`),
    );
    const { panels } = JSON.parse(readFileSync(join(rules, 'grafana-dashboard.json'), 'utf8')) as {
      panels: { title: string; targets: Target[] }[];
    };
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const hasData = await until(async () => (await countSeries(url, expr)) > 0);
        check(`panel ${title}`, hasData, expr);
      }
    }
    await checkAlerts(url);
  } finally {
    await postgres.stop();
  }
}

/** Alerts that this very service is in the state for: it has no backup, and a node goes down. */
async function checkAlerts(url: string): Promise<void> {
  const isPending = (name: string) => async () =>
    (await countSeries(url, `ALERTS{alertname="${name}"}`)) > 0;
  check('PetstoreBackupOld begins', await until(isPending('PetstoreBackupOld')));
  children[0]!.kill('SIGKILL');
  check('PetstoreNodeDown begins', await until(isPending('PetstoreNodeDown')));
}

try {
  await run();
} finally {
  for (const child of children) child.kill('SIGKILL');
  await pause(POLL_MS);
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures.length === 0 ? 'everything is in order' : `failed: ${failures.join(', ')}`);
process.exit(failures.length === 0 ? 0 : 1);
