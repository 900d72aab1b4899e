import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  openSecretKeyFile,
  parseSecretKey,
  UnusableSecretKey,
} from '../../src/lib/secret-key-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function newFile() {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return { folder: folder.path, file: join(folder.path, 'secret.key') };
}

describe('the file of the secret key', () => {
  it('is created once, for its owner alone, and read again', () => {
    const { folder, file } = newFile();
    const key = openSecretKeyFile(file);
    expect(key).toHaveLength(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(openSecretKeyFile(file)).toEqual(key);
    expect(readdirSync(folder)).toEqual(['secret.key']);
    expect(parseSecretKey(readFileSync(file, 'utf8').trim())).toEqual(key);
  });

  it('is refused when others can read it', () => {
    const { file } = newFile();
    openSecretKeyFile(file);
    chmodSync(file, 0o640);
    expect(() => openSecretKeyFile(file)).toThrow(/chmod 600/);
  });

  it('is refused when it holds something else, and is not overwritten', () => {
    const { file } = newFile();
    for (const text of ['', 'short', Buffer.alloc(31).toString('base64'), 'A'.repeat(43)]) {
      writeFileSync(file, text, { mode: 0o600 });
      expect(() => openSecretKeyFile(file)).toThrow(UnusableSecretKey);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });
});
