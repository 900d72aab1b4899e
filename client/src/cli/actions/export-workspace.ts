import { createWriteStream, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { Admin, Workspaces } from '../../contract.ts';
import type { Transport } from '../../transport.ts';
import { reasonIn } from '../ask.ts';
import { type Arguments, type Terminal, UsageError, WrongWords } from '../command.ts';
import { connect } from '../connection.ts';
import { note } from '../output.ts';

/** Archives hold names and addresses of people. */
const FILE_MODE = 0o600;

/** `petstore workspaces export-own --to workspace.tar.gz` */
export function exportOwn(args: Arguments, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  return save(args, terminal, (transport) => new Workspaces(transport).export({ signal }));
}

/** `petstore workspaces export 2 --to workspace.tar.gz` */
export function exportAny(args: Arguments, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const [word = ''] = args.words;
  if (word === '') throw new WrongWords('workspaces export needs the id of a workspace');
  const id = /^[1-9]\d{0,15}$/.test(word) ? Number(word) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new UsageError(`${word} is no id of a workspace`);
  return save(args, terminal, (transport) => new Admin(transport).exportWorkspace(id, { signal }));
}

/** Writes the file as it arrives. A file that is not complete is removed. */
async function save(
  args: Arguments,
  terminal: Terminal,
  open: (transport: Transport) => Promise<Response>,
): Promise<void> {
  const { signal } = terminal;
  const file = args.flags.get('to')?.[0];
  if (!file) throw new UsageError('--to FILE is missing');
  const { transport } = connect(args, terminal);
  const target = createWriteStream(file, { fd: newFile(file), flush: true });
  try {
    const { body } = await open(transport);
    await pipeline(Readable.fromWeb(body as ReadableStream), target, { signal }).catch((err) => {
      if (signal.aborted) throw err;
      // Only an error of the file is one of a system call.
      throw err.syscall ? unwritable(file, err) : transport.failure(err, undefined);
    });
  } catch (err) {
    target.destroy();
    await rm(file, { force: true });
    throw err;
  }
  note(`${file} holds ${target.bytesWritten} bytes`, args, terminal);
}

function newFile(file: string): number {
  try {
    return openSync(file, 'wx', FILE_MODE);
  } catch (err) {
    const isThere = (err as NodeJS.ErrnoException).code === 'EEXIST';
    throw isThere ? new UsageError(`${file} exists already`) : unwritable(file, err);
  }
}

function unwritable(file: string, err: unknown): UsageError {
  return new UsageError(`${file} cannot be written: ${reasonIn(err)}`);
}
