import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endingWithParent } from '../server/test/support/child-processes.ts';
import { freePort } from '../server/test/support/free-port.ts';
import { temporaryFolder } from '../server/test/support/temporary-folder.ts';
import { type BenchEffort, say } from './engines.ts';
import { type Measurement, measure } from './measure.ts';
import { startService, type Target } from './processes.ts';
import { scenariosOf } from './scenarios.ts';
import { prepareStore } from './store.ts';

const PEER = 'json-server@0.17.4';
/** Long enough for a busy machine. */
const START_MS = 60_000;
/** json-server keeps all data in one JSON file and rewrites the file for every write. */
const PEER_PETS = 1_000;

/** Measures an alternative in the same run. It is installed from npm into a temporary folder. */
export async function measurePeers(effort: BenchEffort): Promise<string[]> {
  await using cleanUp = new AsyncDisposableStack();
  const { path: folder, remove } = temporaryFolder('petstore-peers-');
  cleanUp.defer(remove);
  say(`installing ${PEER} …\n`);
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', PEER]);
  const pets = Array.from({ length: PEER_PETS }, (_, n) => {
    return { id: n + 1, name: `Pet ${n}`, categoryId: 1, status: 'available' };
  });
  writeFileSync(join(folder, 'db.json'), JSON.stringify({ pets }));
  const program = join(folder, 'node_modules/json-server/lib/cli/bin.js');
  const peer = await startPeer([program, '--quiet', join(folder, 'db.json')], folder);
  cleanUp.defer(peer.stop);
  const store = await prepareStore(PEER_PETS, {}, () => undefined);
  cleanUp.defer(store.remove);
  const service = await startService(store.environment);
  cleanUp.defer(service.stop);
  const head = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
  const body = (n: number) => `{"name":"New ${n}","categoryId":1}`;
  const theirs = [
    {
      name: 'read one pet',
      status: 200,
      request: (n: number) => `${head('GET', `/pets/${1 + (n % PEER_PETS)}`)}\r\n`,
    },
    { name: 'list 20', status: 200, request: () => `${head('GET', '/pets?_limit=20')}\r\n` },
    {
      name: 'create a pet',
      status: 201,
      request: (n: number) =>
        `${head('POST', '/pets')}Content-Type: application/json\r\nContent-Length: ${body(n).length}\r\n\r\n${body(n)}`,
    },
  ];
  const small = { ...effort, requests: Math.min(2_000, effort.requests), rounds: 3 };
  const rows: string[] = [];
  for (const scenario of theirs) {
    const ours = scenariosOf(store, 'sqlite').find(({ name }) => name === scenario.name)!;
    const [us, them] = [await measure(ours, service, small), await measure(scenario, peer, small)];
    rows.push(rowOf(scenario.name, us, them));
    say(`  ${scenario.name} done\n`);
  }
  return [
    `## Beside ${PEER}, ${PEER_PETS} pets`,
    [
      '| operation | this service us (ratio) | json-server us (ratio) |',
      '|---|---|---|',
      ...rows,
    ].join('\n'),
    'json-server has no keys, limits, validation or durable writes.',
  ];
}

function rowOf(name: string, us: Measurement, them: Measurement): string {
  const cell = ({ service, ratio }: Measurement) => `${service.toFixed(0)} (${ratio.toFixed(2)})`;
  return `| ${name} | ${cell(us)} | ${cell(them)} |`;
}

/** Starts a script that takes `--port`, and waits until it listens. */
export async function startPeer(script: readonly string[], cwd: string): Promise<Target> {
  const port = await freePort();
  const command = [process.execPath, ...script, '--port', String(port)];
  const [program, ...args] = endingWithParent(command, 'SIGKILL');
  const child = spawn(program, args, { stdio: 'ignore', cwd });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await exited;
  };
  const giveUpAt = performance.now() + START_MS;
  while (!(await isListening(port))) {
    if (child.exitCode === null && performance.now() < giveUpAt) {
      await pause(100);
      continue;
    }
    await stop();
    throw new Error(`${script[0]} does not listen`);
  }
  return { ports: [port], pids: [child.pid!], stop };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
