import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { TAR_END, tarEntry } from '../../../src/lib/tar.ts';
import type { TestApp } from '../../support/app.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
type Any = any;

const BLOCK = 512;

/** The files of a tar.gz by their names, in its order. */
export function filesIn(archive: Buffer): Map<string, string> {
  const tar = gunzipSync(archive);
  const files = new Map<string, string>();
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar.toString('latin1', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8);
    files.set(name, tar.toString('utf8', at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** The records of an archive by noun, and its manifest. Checks the names and the digests of its files. */
export function recordsIn(archive: Buffer): { manifest: Any; records: Record<string, Any[]> } {
  const files = filesIn(archive);
  const names = [...files.keys()];
  expect(names[0]).toBe('manifest.json');
  expect(names.at(-1)).toBe('SHA256SUMS');
  const sums = names.slice(0, -1).map((name) => {
    return `${createHash('sha256').update(files.get(name)!).digest('hex')}  ${name}\n`;
  });
  expect(files.get('SHA256SUMS')).toBe(sums.join(''));
  const manifest = JSON.parse(files.get('manifest.json')!);
  const records: Record<string, Any[]> = {};
  for (const name of names.slice(1, -1)) {
    const [, noun = '', number] = /^([a-z-]+)-(\d{6})\.ndjson$/.exec(name)!;
    const lines = files.get(name)!.split('\n').slice(0, -1);
    if (number === '000001') records[noun] = [];
    records[noun]!.push(...lines.map((line) => JSON.parse(line)));
  }
  expect(Object.keys(records)).toEqual(manifest.nouns);
  return { manifest, records };
}

/** An archive of these files, with their digests unless others are given. `type` is that of the last entry. */
export function archiveOf(
  files: ReadonlyMap<string, string>,
  options: { sums?: string | undefined; type?: string } = {},
): Buffer {
  const given = [...files].filter(([name]) => name !== 'SHA256SUMS');
  const digests = given.map(([name, text]) => {
    return `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;
  });
  const sums = 'sums' in options ? options.sums : digests.join('');
  const all = sums === undefined ? given : [...given, ['SHA256SUMS', sums] as const];
  const entries = all.map(([name, text]) => tarEntry({ name, content: Buffer.from(text) }, 0));
  const last = entries.at(-1)!;
  if (options.type) {
    // The sum of a header is that of its bytes.
    last[156] = options.type.charCodeAt(0);
    const sum = Number.parseInt(last.toString('latin1', 148, 154), 8) + last[156]! - 0x30;
    last.write(sum.toString(8).padStart(6, '0'), 148, 'latin1');
  }
  return gzipSync(Buffer.concat([...entries, TAR_END]));
}

/** Exports a workspace, by its owner or by the operator. */
export async function exported(app: TestApp, path: string, key = app.key): Promise<Buffer> {
  const response = await fetch(`${app.address}/v1${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/gzip');
  return Buffer.from(await response.arrayBuffer());
}
