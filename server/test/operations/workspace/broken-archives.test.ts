import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/run-command.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';
import { tableRows } from '../../support/table-rows.ts';
import { archiveOf, exported, filesIn } from './archive-files.ts';
import { filledShop } from './filled-shop.ts';
import { importCommand } from './import-command.ts';

let app: TestApp;
beforeAll(async () => {
  // Deliveries would change rows meanwhile.
  app = await testApp({ environment: { PETSTORE_WEBHOOKS: 'off' } });
});
const { output, run: runImport } = importCommand(() => app);

/** The same bytes with one bit changed, so many times. */
function* flipped(original: Buffer, times: number) {
  for (let at = 0; at < original.length; at += Math.ceil(original.length / times)) {
    const bytes = Buffer.from(original);
    bytes[at]! ^= 1 << (at % 8);
    yield { at, bytes };
  }
}

function unzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}

describe('a broken archive', () => {
  const named = (files: Map<string, string>, start: string) =>
    [...files.keys()].find((name) => name.startsWith(start))!;
  const changed = (change: (files: Map<string, string>) => void) => (archive: Buffer) => {
    const files = filesIn(archive);
    change(files);
    return archiveOf(files);
  };
  const line = (text: string) => changed((files) => files.set(named(files, 'pets-'), `${text}\n`));
  const pet = (more: object) => line(JSON.stringify({ id: 1, name: 'Tom', ...more }));

  const cases: Record<string, [(archive: Buffer) => Buffer, string]> = {
    'is no gzip file': [() => Buffer.from('hello'), 'no whole gzip file'],
    'is empty': [() => Buffer.alloc(0), ''],
    'is cut in the middle': [(archive) => archive.subarray(0, archive.length / 2), 'gzip'],
    'is cut at its end': [(archive) => archive.subarray(0, -1), 'gzip'],
    'has digests of other files': [
      (archive) => archiveOf(filesIn(archive), { sums: 'of others' }),
      'not those of SHA256SUMS',
    ],
    'has no digests': [
      (archive) => archiveOf(filesIn(archive), { sums: undefined }),
      'has no SHA256SUMS',
    ],
    'has a file that is not known': [
      changed((files) => files.set('notes-000001.ndjson', '')),
      'is not expected',
    ],
    'has a path': [changed((files) => files.set('../../etc/passwd', 'root')), 'is not expected'],
    'lacks a noun': [changed((files) => files.delete(named(files, 'ledger-'))), 'is not expected'],
    'lacks a part': [
      changed((files) => files.set('requests-000003.ndjson', '')),
      'is not expected',
    ],
    'has a link': [(archive) => archiveOf(filesIn(archive), { type: '2' }), 'is no file'],
    'has a line that is too long': [line(`{"id":"${'x'.repeat(5_000_000)}"}`), 'is larger'],
    'has a line that is no JSON': [line('{'), 'is not JSON'],
    'has a line that is no object': [line('[]'), 'is not an object'],
    'ends within a line': [
      changed((files) => files.set(named(files, 'pets-'), '{}')),
      'ends within a line',
    ],
    'has a field of another type': [pet({ quantity: '3' }), 'quantity is not a whole number'],
    'has a text with a zero': [pet({ name: 'T\u0000m' }), 'name is not a text'],
    'is of another program': [
      changed((files) => files.set('manifest.json', '{"format":"other"}')),
      'no archive of a workspace',
    ],
    'is of a later version': [
      changed((files) => files.set('manifest.json', '{"format":"petstore-workspace","version":2}')),
      'version 2',
    ],
  };

  it('is refused before anything is written', async () => {
    const own = await filledShop(app);
    const archive = await exported(app, '/workspace/export', own.key);
    expect(await runImport(archiveOf(filesIn(archive))), output.stderr).toBe(0);
    const before = await tableRows(app);
    for (const [name, [break_, message]] of Object.entries(cases)) {
      expect(await runImport(break_(archive)), name).toBe(1);
      expect(output.stderr, name).toContain(message);
      expect(output.stderr, name).toContain('there is no new workspace');
    }
    const tar = gunzipSync(archive);
    for (const part of flipped(tar, 60)) {
      expect(await runImport(gzipSync(part.bytes)), `byte ${part.at} of the files`).toBe(1);
    }
    for (const { at, bytes } of flipped(archive, 40)) {
      // Some bits of a compressed file, such as those of its time, change nothing in what it holds.
      if (unzipped(bytes)?.equals(tar)) continue;
      expect(await runImport(bytes), `byte ${at}`).toBe(1);
    }
    expect(await tableRows(app)).toBe(before);
  });

  it('is refused over no API, and a file that is missing is named', async () => {
    for (const place of ['/no/such/file', '/']) {
      output.stderr = '';
      expect(await runCommand(['server', 'import-workspace', place])).toBe(1);
      expect(output.stderr).toBe(`petstore: there is no file ${place}\n`);
    }
    expectError(await app.call('POST', '/v1/workspace/import', { body: {} }), 'not_found');
  });
});
