import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { buildConsole, consoleStamp } from '../console-stamp.mjs';

/** A build that counts how often it ran. It writes the stamp that it is given. */
const BUILD = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
mkdirSync('console/dist', { recursive: true });
appendFileSync('console/dist/runs', 'x');
writeFileSync('console/dist/stamp', readFileSync('next-stamp'));
`;

let folder: ReturnType<typeof temporaryFolder>;
let root: string;

beforeEach(() => {
  folder = temporaryFolder();
  root = folder.path;
  write('console/build.ts', BUILD);
  write('console/src/main.tsx', 'main');
  write('console/src/ui/icon.tsx', 'icon');
  write('client/src/petstore.ts', 'client');
});
afterEach(() => folder.remove());

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function build(): string {
  write('next-stamp', consoleStamp(root));
  return buildConsole(process.execPath, root);
}

const runs = () => readFileSync(join(root, 'console/dist/runs'), 'utf8').length;

describe('the set-up', () => {
  it('builds the console once, and again when a source has changed', () => {
    expect(build()).toBe('built');
    expect(build()).toBe('fresh');
    for (const file of [
      'console/src/ui/icon.tsx',
      'client/src/petstore.ts',
      'console/src/new.ts',
    ]) {
      write(file, `changed ${file}`);
      expect(build(), file).toBe('built');
    }
    rmSync(join(root, 'console/src/new.ts'));
    expect(build()).toBe('built');
    expect(build()).toBe('fresh');
    expect(runs()).toBe(5);
  });

  it('builds nothing when only the build, packages, tests or the command line have changed', () => {
    build();
    write('console/dist/main-ABCD1234.js', 'built');
    write('console/node_modules/preact/package.json', '{}');
    write('console/test/a.test.ts', 'test');
    write('client/src/cli/main.ts', 'cli');
    expect(build()).toBe('fresh');
  });

  it('tells a moved text from another', () => {
    const before = consoleStamp(root);
    write('console/src/main.tsx', 'mai');
    write('console/src/n.tsx', 'n');
    expect(consoleStamp(root)).not.toBe(before);
  });

  it('says when the build failed, and tries again', () => {
    write('console/build.ts', 'process.exit(3);');
    expect(build()).toBe('failed');
    write('console/build.ts', BUILD);
    expect(build()).toBe('built');
  });

  it('does without a console', () => {
    rmSync(join(root, 'console'), { recursive: true });
    expect(buildConsole(process.execPath, root)).toBe('absent');
  });
});
