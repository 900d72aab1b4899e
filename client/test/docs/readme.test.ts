// The commands of the READMEs, line by line, in a shell.

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../server/test/support/app.ts';
import { firstKeyOf, startService } from '../../../server/test/support/service.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { installPetstore } from '../support/terminal.ts';

/** The lines of the first block of shell commands in a chapter. */
function linesOf(file: string, chapter: string): string[] {
  const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const block = /```sh\n(.*?)```/s.exec(text.split(`## ${chapter}\n`)[1]!)![1]!;
  return block.trim().split('\n');
}

/** Runs lines in one folder, each in a shell of its own. The key is typed where one is asked for. */
async function runLines(lines: string[], key: string, environment: Record<string, string>) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  mkdirSync(join(folder.path, 'bin'));
  installPetstore(join(folder.path, 'bin'));
  const PATH = `${join(folder.path, 'bin')}:${process.env.PATH}`;
  const env = { PATH, HOME: folder.path, ...environment };
  const outputs: string[] = [];
  for (const line of lines) {
    const command = line.replaceAll('npx petstore', 'petstore');
    outputs.push(await runLine(command, { cwd: folder.path, env }, key));
  }
  return { outputs, read: (name: string) => readFileSync(join(folder.path, name), 'utf8') };
}

function runLine(line: string, options: { cwd: string; env: Record<string, string> }, key: string) {
  return new Promise<string>((resolve, reject) => {
    const args = ['-o', 'pipefail', '-c', line];
    const child = execFile('bash', args, options, (err, stdout, stderr) => {
      if (err) reject(new Error(`${line}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
    child.stdin!.end(`${key}\n`);
  });
}

describe('the transcript', () => {
  it('of the client runs', async () => {
    const app = await testApp({ engine: 'sqlite' });
    const lines = linesOf('client/README.md', 'The command line');
    const environment = { PETSTORE_BASE_URL: `${app.address}/v1` };
    const { outputs, read } = await runLines(lines, app.key, environment);
    const outputOf = (text: string) => outputs[lines.findIndex((line) => line.includes(text))];
    expect(outputOf('--dry-run')).toBe('not now\n');
    expect(outputOf('--available-below')).toMatch(/^1\t5\t2\t3\tavailable\n$/);
    expect(read('open-orders.csv').split('\n')).toHaveLength(3);
    expect(outputs.join('')).not.toContain(app.key);
  });

  it('of the first steps runs beside a service that has just been started', async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const service = await startService(folder.path);
    const lines = linesOf('README.md', 'First steps');
    const { outputs, read } = await runLines(lines, firstKeyOf(service), {
      PETSTORE_DATA_DIR: folder.path,
      PETSTORE_BASE_URL: `${service.address}/v1`,
    });
    expect(outputs[0]).toContain('20 pets in 5 categories');
    expect(outputs[2]!.trim().split('\n').length).toBeGreaterThan(2);
    expect(read('open-orders.csv').trim().split('\n').length).toBeGreaterThan(10);
    expect(JSON.parse(outputs.at(-1)!)).toHaveLength(5);
  });
});
