import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { addAbortSignal } from 'node:stream';
import { getSystemErrorMap } from 'node:util';
import { DeclinedError, type Terminal, UsageError } from './command.ts';

// What these keys send while the terminal leaves them to the program. Backspace differs from terminal to terminal.
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const ENDS = new Set(['\r', '\n', CTRL_D]);
const BACKSPACES = new Set(['\x7f', '\b']);

/** Whether there is someone to ask. */
export function isAsked({ stdin, stderr }: Terminal): boolean {
  return Boolean(stdin.isTTY && stderr.isTTY);
}

/** Asks before something that cannot be undone, and throws unless the answer is yes. Without a terminal it needs --yes. */
export async function confirm(question: string, isYes: boolean, terminal: Terminal): Promise<void> {
  if (isYes) return;
  const { stdin, stderr, signal } = terminal;
  if (!isAsked(terminal)) throw new UsageError(`${question} Pass --yes to confirm.`);
  const reader = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await reader.question(`${question} [y/N] `, { signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new DeclinedError('nothing was changed');
  } finally {
    reader.close();
  }
}

/** A secret, typed without being shown, or the first line of what is piped in. */
export async function readSecret(prompt: string, terminal: Terminal): Promise<string> {
  const { stdin, stderr } = terminal;
  if (!stdin.isTTY) return (await readAll(terminal)).split('\n', 1)[0]!.trim();
  // Before the prompt: what is typed as soon as it appears must not be shown, and Ctrl-C must reach the loop below.
  stdin.setRawMode(true);
  stderr.write(prompt);
  stdin.setEncoding('utf8');
  let secret = '';
  try {
    for await (const chunk of stdin as AsyncIterable<string>) {
      for (const character of chunk) {
        if (character === CTRL_C) throw new DOMException('interrupted', 'AbortError');
        if (ENDS.has(character)) return secret.trim();
        secret = BACKSPACES.has(character) ? secret.slice(0, -1) : secret + character;
      }
    }
    return secret.trim();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

/** All of standard input. Ctrl-C ends the wait for more. */
export async function readAll({ stdin, signal }: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  addAbortSignal(signal, stdin);
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return textOf(Buffer.concat(chunks), 'standard input');
}

/** All of a file, which faults call `source`. */
export function readText(path: string, source: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (err) {
    throw new UsageError(`${source} cannot be read: ${reasonIn(err)}`);
  }
  return textOf(bytes, source);
}

/** What the system says of a call that failed, without its code and its name. */
export function reasonIn(err: unknown): string {
  const { errno, message } = err as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno ?? 0)?.[1] ?? message;
}

/** Refuses bytes that are not UTF-8: characters in their place would say something else. */
function textOf(bytes: Buffer, source: string): string {
  if (!isUtf8(bytes)) throw new UsageError(`${source} is not UTF-8`);
  return bytes.toString();
}
