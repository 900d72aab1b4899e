import { Readable, Writable } from 'node:stream';
import type { Terminal } from '../../src/cli/command.ts';
import { runApiCommand } from '../../src/cli/main.ts';

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  /** What it has written so far. */
  readonly output: Outcome;
  /** Resolves with the exit code in place. */
  readonly ended: Promise<Outcome>;
  /** As Ctrl-C does. */
  interrupt(): void;
}

interface Run {
  env: Readonly<Record<string, string>>;
  /** What is piped in, or a stream that may stay open. */
  input?: string | Readable;
  /** Standard output is a terminal. */
  isTTY?: boolean;
}

/** Starts a command over the API in this process, with pipes in place of a terminal. */
export function startPetstore(
  args: readonly string[],
  { env, input = '', isTTY = false }: Run,
): Running {
  const output: Outcome = { code: null, stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _, done) {
        output[name] += String(chunk);
        done();
      },
    });
  const interrupt = new AbortController();
  const streams = {
    stdin: typeof input === 'string' ? Readable.from([input]) : input,
    stdout: Object.assign(collect('stdout'), isTTY ? { isTTY, columns: 40 } : {}),
    stderr: collect('stderr'),
  };
  const terminal = { ...streams, env, signal: interrupt.signal } as unknown as Terminal;
  const ended = runApiCommand(args, terminal).then((code) => {
    output.code = code;
    return output;
  });
  return { output, ended, interrupt: () => interrupt.abort(new Error('interrupted')) };
}

export function runPetstore(args: readonly string[], run: Run): Promise<Outcome> {
  return startPetstore(args, run).ended;
}
