// The service as a process, with its output and its exit code.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atTheEnd } from './at-the-end.ts';

export interface Service {
  address: string;
  process: ChildProcess;
  /** All that it has printed so far, to both streams. */
  output(): string;
  /** What it has printed to standard output. */
  stdout(): string;
  /** The exit code, once it has ended. */
  exited: Promise<number | null>;
}

export interface Finished {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A pipe or an open file. */
type Output = 'pipe' | number;

const MAIN = fileURLToPath(new URL('../../bin/petstore.js', import.meta.url));
const READY = /petstore is ready at (http:[^"]+)"/;

/** Serves from a data folder until the test ends, by default on a free port. */
export async function startService(
  folder: string,
  environment: Record<string, string> = {},
): Promise<Service> {
  const child = spawnPetstore(['serve'], {
    PETSTORE_DATA_DIR: folder,
    PETSTORE_PORT: '0',
    ...environment,
  });
  let output = '';
  let stdout = '';
  const exited = once(child, 'close').then(([code]) => code as number | null);
  atTheEnd(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const ready = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const address = READY.exec(output)?.[1];
      if (address) resolve(address);
    };
    child.stdout!.on('data', read);
    child.stdout!.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr!.on('data', read);
    void exited.then((code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
  return {
    address: await ready,
    process: child,
    output: () => output,
    stdout: () => stdout,
    exited,
  };
}

/** Stops it as Ctrl-C does, so that its log is complete. */
export async function stopService({ process: child, exited }: Service): Promise<void> {
  child.kill('SIGINT');
  await exited;
}

/** Runs a command to its end, or until the test is over. */
export async function petstore(
  args: string[],
  environment: Record<string, string> = {},
  stderrFile?: number,
): Promise<Finished> {
  const child = spawnPetstore(args, environment, { stderr: stderrFile ?? 'pipe' });
  atTheEnd(async () => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, stdout, stderr };
}

/** The key that a first start prints. */
export function firstKeyOf(service: Service): string {
  const key = /^psk_\w{50}$/m.exec(service.output())?.[0];
  if (!key) throw new Error(`no key in: ${service.output()}`);
  return key;
}

/** Starts a command without waiting for it. */
export function spawnPetstore(
  args: string[],
  environment: Record<string, string>,
  { stdout = 'pipe', stderr = 'pipe' }: { stdout?: Output; stderr?: Output } = {},
): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PETSTORE_'));
  return spawn(process.execPath, [MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', stdout, stderr],
  });
}
