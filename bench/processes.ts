import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** What is measured: one process, or several that share the work. */
export interface Measured {
  ports: readonly number[];
  pids: readonly number[];
  stop: () => Promise<void>;
}

/** Clock ticks a second, as /proc counts them. */
const TICKS = 100;

/** CPU seconds, user and system, that a process has used so far; with all its children if asked. */
export function cpuSeconds(pid: number, isWithChildren = false): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) / TICKS;
  if (!isWithChildren) return own;
  const ended = (Number(fields[13]) + Number(fields[14])) / TICKS;
  return childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child, true), own + ended);
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children.filter((child) => child !== '').map(Number);
}

/** Of the first process. */
export function residentMegabytes({ pids }: Measured): number {
  const status = readFileSync(`/proc/${pids[0]}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** `under` is a command that runs the service, such as a tracer. */
export async function startService(
  environment: Record<string, string>,
  under: readonly string[] = [],
): Promise<Measured> {
  const [program, ...args] = [...under, process.execPath, 'server/bin/petstore.js', 'serve'];
  const child = spawn(program!, args, {
    env: { ...plainEnvironment(), PETSTORE_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = Number(await lineMatching(child, /ready at http:\/\/[^:]+:(\d+)/));
  // The log goes on being written, to where it costs the reader nothing.
  child.stdout?.resume();
  return measured(child, port, under.length > 0);
}

export async function startBare(answer: unknown): Promise<Measured> {
  const child = spawn(process.execPath, ['bench/bare.ts'], {
    env: { ...process.env, BARE_ANSWER: JSON.stringify(answer) },
    stdio: ['ignore', 'pipe', openSync('/dev/null', 'w')],
  });
  return measured(child, Number(await lineMatching(child, /ready (\d+)/)));
}

function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('PETSTORE_')),
  );
}

/** A tracer keeps signals to itself, so what it runs is signalled instead. */
function measured(child: ChildProcess, port: number, isUnder = false): Measured {
  const pid = isUnder ? childrenOf(child.pid!)[0]! : child.pid!;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    process.kill(pid, 'SIGTERM');
    await exited;
  };
  return { ports: [port], pids: [pid], stop };
}

export function together(all: readonly Measured[]): Measured {
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
