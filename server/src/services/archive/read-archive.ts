// Reads an archive from a file and checks all of it while it does: the order and the names of its files, their digests and
// each of their lines.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BrokenArchive, readTar } from '../../lib/tar.ts';
import type { Line } from './noun.ts';
import { nouns } from './nouns.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  MANIFEST,
  PART_BYTES_MAX,
  partName,
  SUMS,
} from './write-archive.ts';

/** A line of its own may be longer than a part. No record is as long as this. */
const ENTRY_BYTES_MAX = 4 * PART_BYTES_MAX;
/** Their digests are kept until the end. */
const ENTRIES_MAX = 1_000_000;

export interface Manifest {
  workspaceId: number;
  exportedAt: string;
  feed: { firstSequence: number; lastSequence: number };
}

/** The lines of one file of the archive. */
export interface ArchivePart {
  manifest: Manifest;
  noun: string;
  lines: readonly Line[];
}

interface ReadOptions {
  onBytes?: (done: number) => void;
}

/**
 * The parts of an archive, in its order. Throws BrokenArchive as soon as something is wrong with it: only when it has come to
 * its end, the archive is whole.
 */
export async function* readArchive(
  file: string,
  { onBytes }: ReadOptions = {},
): AsyncGenerator<ArchivePart> {
  const sums: string[] = [];
  const expected = new ExpectedNames();
  let manifest: Manifest | undefined;
  for await (const { name, content } of readTar(unzipped(file, onBytes), {
    entryBytesMax: ENTRY_BYTES_MAX,
  })) {
    const noun = expected.take(name);
    if (name === SUMS) {
      if (content.toString('latin1') !== sums.join('')) {
        throw new BrokenArchive('its digests are not those of SHA256SUMS');
      }
      continue;
    }
    if (sums.length >= ENTRIES_MAX) throw new BrokenArchive('it has too many files');
    sums.push(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
    const text = textOf(name, content);
    if (name === MANIFEST) manifest = manifestIn(text);
    else yield { manifest: manifest!, noun, lines: linesIn(name, text) };
  }
  if (!expected.isDone) throw new BrokenArchive('it has no SHA256SUMS');
}

/** The files of an archive: the manifest, each noun with its numbered parts, the digests. */
class ExpectedNames {
  readonly #nouns = ['workspace', ...nouns.map(({ name }) => name)];
  #at = -1;
  #number = 0;
  isDone = false;

  /** Returns the noun of the file; empty for the manifest and the digests. */
  take(name: string): string {
    if (this.isDone) throw unexpected(name);
    if (this.#at === -1) {
      if (name !== MANIFEST) throw unexpected(name);
      this.#at = 0;
      return '';
    }
    const noun = this.#nouns[this.#at];
    if (noun !== undefined && name === partName(noun, this.#number + 1)) {
      this.#number += 1;
      return noun;
    }
    if (this.#number === 0) throw unexpected(name);
    this.#at += 1;
    this.#number = 0;
    const next = this.#nouns[this.#at];
    if (next === undefined) {
      if (name !== SUMS) throw unexpected(name);
      this.isDone = true;
      return '';
    }
    return this.take(name);
  }
}

function unexpected(name: string): BrokenArchive {
  return new BrokenArchive(`${JSON.stringify(name.slice(0, 100))} is not expected where it is`);
}

async function* unzipped(file: string, onBytes?: (done: number) => void): AsyncGenerator<Buffer> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  pipeline(source, gunzip, () => undefined);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      onBytes?.(source.bytesRead);
      yield chunk;
    }
  } catch (err) {
    const { code = '' } = err as NodeJS.ErrnoException;
    if (code.startsWith('Z_')) throw new BrokenArchive('it is no whole gzip file');
    throw err;
  }
}

function textOf(name: string, content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new BrokenArchive(`${name} is not UTF-8`);
  }
}

function manifestIn(text: string): Manifest {
  const manifest = objectIn(MANIFEST, text) as Line & Manifest;
  if (manifest.format !== ARCHIVE_FORMAT)
    throw new BrokenArchive('it is no archive of a workspace');
  if (manifest.version !== ARCHIVE_VERSION) {
    throw new BrokenArchive(
      `it has version ${manifest.version}, this program reads version ${ARCHIVE_VERSION}`,
    );
  }
  const { firstSequence, lastSequence } = manifest.feed ?? {};
  const isFeed = [firstSequence, lastSequence].every((each) => Number.isSafeInteger(each));
  if (!isFeed || firstSequence < 1 || lastSequence < firstSequence - 1) {
    throw new BrokenArchive('its manifest has no feed');
  }
  return manifest;
}

function linesIn(name: string, text: string): Line[] {
  if (text !== '' && !text.endsWith('\n')) throw new BrokenArchive(`${name} ends within a line`);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, at) => objectIn(`${name}:${at + 1}`, line));
}

function objectIn(place: string, text: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BrokenArchive(`${place} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BrokenArchive(`${place} is not an object`);
  }
  return value as Line;
}
