// A pseudo-terminal, made by `script` of util-linux: the program under test sees a terminal on all three streams.

import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { findOrInstall } from '../../../scripts/test-support/install-packages.ts';

const PROGRAM = fileURLToPath(new URL('../../../server/bin/petstore.js', import.meta.url));
const WAIT = { timeout: 60_000, interval: 20 };
const INTERRUPT = '\x03';

export interface TerminalOptions {
  env: Readonly<Record<string, string>>;
  columns?: number;
}

export interface TerminalSession {
  /** All that was shown, echoes of what was typed included. */
  screen(): string;
  /** Waits until the screen shows this, after what was seen before. */
  sees(text: string): Promise<void>;
  type(text: string): void;
  pressInterrupt(): void;
  ended: Promise<{ code: number | null; screen: string }>;
}

/** Runs a line of a shell on a terminal. */
export function onTerminal(line: string, { env, columns = 100 }: TerminalOptions): TerminalSession {
  const script = findOrInstall(['script'], ['bsdutils']);
  const command = `stty cols ${columns} rows 50; ${line}`;
  const child = spawn(
    script,
    ['--quiet', '--return', '--flush', '--command', command, '/dev/null'],
    {
      env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/bash', ...env },
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  let seen = 0;
  const read = (chunk: Buffer) => {
    shown += String(chunk);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const screen = () => shown.replaceAll('\r\n', '\n');
  const ended = new Promise<{ code: number | null; screen: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, screen: screen() }));
  });
  const sees = (text: string) =>
    vi.waitFor(() => {
      const at = shown.indexOf(text, seen);
      if (at < 0) throw new Error(`no ${JSON.stringify(text)} in: ${JSON.stringify(shown)}`);
      seen = at + text.length;
    }, WAIT);
  const type = (text: string) => void child.stdin.write(text);
  return { screen, sees, type, pressInterrupt: () => type(INTERRUPT), ended };
}

/** Puts a `petstore` into a folder, for shells that look it up on their PATH. */
export function installPetstore(folder: string): void {
  const file = join(folder, 'petstore');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(file, 0o755);
}
