// The service in a separate process, which can be killed, stopped and started again on the same data.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endingWithParent, plainEnvironment } from '../server/test/support/child-processes.ts';

export interface ServiceOptions {
  environment: Record<string, string>;
  /** Another script than the service's own. */
  main?: string;
  /** A command that runs the process, such as one that sets a limit. */
  wrapper?: readonly string[];
  /** An open file for its log. The port cannot be read from the log then, so PETSTORE_PORT must be set. */
  stdout?: number;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const MAIN = fileURLToPath(new URL('../server/bin/petstore.js', import.meta.url));
const START_MS = 60_000;
const STARTS_MAX = 3;
const OUTPUT_KEPT = 200_000;
/** How much of the output a fault shows. */
const OUTPUT_SHOWN = 4_000;

export class Service {
  readonly port: number;
  /** From the start of the process until it was ready. */
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #output: () => string;

  private constructor(child: ChildProcess, port: number, startMs: number, output: () => string) {
    this.#child = child;
    this.port = port;
    this.startMs = startMs;
    this.#output = output;
  }

  /** Starts it; once more, as a supervisor would, if the database of a busy machine did not answer in time. */
  static async start(options: ServiceOptions): Promise<Service> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await Service.#startOnce(options);
      } catch (err) {
        if (attempt === STARTS_MAX || !String(err).includes('no connection in time')) throw err;
      }
    }
  }

  static async #startOnce(options: ServiceOptions): Promise<Service> {
    const startedAt = performance.now();
    const { child, output } = launch(options);
    const { stdout, environment } = options;
    const port =
      stdout === undefined
        ? await portOf(child, output)
        : await listening(child, Number(environment.PETSTORE_PORT), output);
    return new Service(child, port, performance.now() - startedAt, output);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** The end of its output so far. */
  get output(): string {
    return this.#output();
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<Exit> {
    this.signal(signal);
    return this.exited();
  }

  /** Kills it with SIGKILL. Returns a fault if it had ended by itself. */
  async kill(): Promise<string[]> {
    const { code, signal } = await this.end('SIGKILL');
    if (signal === 'SIGKILL') return [];
    return [
      `a service ended by itself with ${code ?? signal}: ${this.output.slice(-OUTPUT_SHOWN)}`,
    ];
  }

  async exited(): Promise<Exit> {
    if (this.isRunning) await once(this.#child, 'exit');
    return { code: this.#child.exitCode, signal: this.#child.signalCode };
  }
}

/** Starts the service and kills it while it recovers, `afterMs` after it has opened its database. */
export async function killWhileStarting(options: ServiceOptions, afterMs: number): Promise<void> {
  const { child } = launch(options);
  const exited = once(child, 'exit');
  const giveUpAt = performance.now() + START_MS;
  while (child.exitCode === null && performance.now() < giveUpAt) {
    if (hasOpenDatabase(child.pid!)) break;
    await pause(1);
  }
  await pause(afterMs);
  child.kill('SIGKILL');
  await exited;
}

/** Runs a command of `petstore` to its end. */
export async function runCommand(args: readonly string[], environment: Record<string, string>) {
  const { child, output } = launch({ environment }, args);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output() };
}

function launch(options: ServiceOptions, args: readonly string[] = ['serve']) {
  const command = [...(options.wrapper ?? []), process.execPath, options.main ?? MAIN, ...args];
  const [program, ...rest] = endingWithParent(command, 'SIGKILL');
  const child = spawn(program, rest, {
    env: { ...plainEnvironment(), PETSTORE_PORT: '0', ...options.environment },
    stdio: ['ignore', options.stdout ?? 'pipe', 'pipe'],
  });
  let kept = '';
  const keep = (chunk: Buffer) => {
    kept += chunk.toString();
    if (kept.length > 2 * OUTPUT_KEPT) kept = kept.slice(-OUTPUT_KEPT);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return { child, output: () => kept };
}

function portOf(child: ChildProcess, output: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const port = /ready at http:\/\/[^:]+:(\d+)/.exec(output())?.[1];
      if (port) finish(() => resolve(Number(port)));
    };
    const fail = () => finish(() => reject(new Error(`the service did not start:\n${output()}`)));
    const timer = setTimeout(fail, START_MS);
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      child.stdout?.off('data', look);
      child.off('exit', fail);
      settle();
    };
    child.stdout?.on('data', look);
    child.once('exit', fail);
  });
}

async function listening(child: ChildProcess, port: number, output: () => string) {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return port;
    await pause(20);
  }
  throw new Error(`the service did not start:\n${output()}`);
}

/** The process has the SQLite file open, or a socket to PostgreSQL beside its stdout and stderr. */
function hasOpenDatabase(pid: number): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    const files = readdirSync(folder).map((file) => readlinkSync(`${folder}/${file}`));
    const sockets = files.filter((file) => file.startsWith('socket:'));
    return sockets.length > 2 || files.some((file) => file.endsWith('petstore.db'));
  } catch {
    // The process has ended, or one of its files was closed in the meantime.
    return false;
  }
}
