import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endingWithParent, plainEnvironment } from '../server/test/support/child-processes.ts';

/** One process under load, or several that share it. */
export interface Target {
  ports: readonly number[];
  pids: readonly number[];
  /** The servers behind it: PostgreSQL and Redis. */
  backendPids?: readonly number[];
  stop: () => Promise<void>;
}

/**
 * CPU seconds, user and system, that a process has used so far. The scheduler counts them for each thread in
 * nanoseconds; the ticks in /proc/PID/stat are 10 ms, too coarse for a round of a few thousand requests.
 */
export function cpuSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
    return Number(stat.slice(0, stat.indexOf(' ')));
  });
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
}

/** CPU seconds of a server and of its running children. PostgreSQL does its work in those. */
export function treeSeconds(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + secondsOfChild(child), cpuSeconds(pid));
}

/** A child may end at any moment, as PostgreSQL's autovacuum does. */
function secondsOfChild(pid: number): number {
  try {
    return treeSeconds(pid);
  } catch (err) {
    if (['ENOENT', 'ESRCH'].includes((err as NodeJS.ErrnoException).code ?? '')) return 0;
    throw err;
  }
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children.filter((child) => child !== '').map(Number);
}

/** The memory of the first process. */
export function residentMegabytes({ pids }: Target): number {
  const status = readFileSync(`/proc/${pids[0]}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

export interface ServiceOptions {
  /** A command that runs the service, such as a tracer. */
  under?: readonly string[];
  /** The checkout whose service is started; this one by default. */
  checkout?: string;
}

export async function startService(
  environment: Record<string, string>,
  { under = [], checkout = '.' }: ServiceOptions = {},
): Promise<Target> {
  const main = join(checkout, 'server/bin/petstore.js');
  // A tracer that is killed leaves the service running, so the service ends with the tracer.
  const command = endingWithParent([process.execPath, main, 'serve'], 'SIGKILL');
  const [program, ...args] = endingWithParent([...under, ...command], 'SIGKILL');
  const child = spawn(program, args, {
    env: { ...plainEnvironment(), PETSTORE_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = Number(await lineMatching(child, /ready at http:\/\/[^:]+:(\d+)/));
  // The service writes its log as always. Reading it here costs the service nothing.
  child.stdout?.resume();
  return targetOf(child, port, under.length > 0);
}

export async function startBare(answer: unknown): Promise<Target> {
  const [program, ...args] = endingWithParent([process.execPath, 'bench/bare.ts'], 'SIGKILL');
  const child = spawn(program, args, {
    env: { ...process.env, BARE_ANSWER: JSON.stringify(answer) },
    stdio: ['ignore', 'pipe', openSync('/dev/null', 'w')],
  });
  return targetOf(child, Number(await lineMatching(child, /ready (\d+)/)));
}

/** A tracer does not pass signals on, so the process that it runs gets them. */
function targetOf(child: ChildProcess, port: number, isUnder = false): Target {
  const pid = isUnder ? childrenOf(child.pid!)[0]! : child.pid!;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, 'SIGTERM');
    await exited;
  };
  return { ports: [port], pids: [pid], stop };
}

export function together(all: readonly Target[]): Target {
  return {
    ports: all.flatMap(({ ports }) => ports),
    pids: all.flatMap(({ pids }) => pids),
    stop: async () => {
      for (const { stop } of all) await stop();
    },
  };
}

async function lineMatching(child: ChildProcess, shape: RegExp): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const match = shape.exec(line);
    if (match) return match[1]!;
  }
  throw new Error('the process ended before it was ready');
}
