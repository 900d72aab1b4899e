// The examples of docs/events.md, run as they stand there.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const text = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code!);

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
});

function environment() {
  return { ...process.env, URL: app.address, API_KEY: app.key };
}

/** What a program prints until that holds something; then it is ended. */
function outputUntil(command: readonly string[], isEnough: (output: string) => boolean) {
  return new Promise<string>((resolve, reject) => {
    const [program, ...args] = command as [string, ...string[]];
    const child = spawn(program, args, { env: environment() });
    let output = '';
    let faults = '';
    child.stderr.on('data', (chunk) => {
      faults += chunk;
    });
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (isEnough(output)) child.kill();
    });
    child.on('error', reject);
    child.on('close', () => (isEnough(output) ? resolve(output) : reject(new Error(faults))));
  });
}

it('shows an event as the service sends it', () => {
  const [shown] = blocks('json').map((json) => JSON.parse(json));
  expect(Object.keys(shown)).toEqual(['id', 'sequence', 'type', 'timestamp', 'keyId', 'data']);
});

it('polls with curl', async () => {
  const [poll] = blocks('sh');
  const output = await outputUntil(['sh', '-c', poll!], (out) => out.endsWith(']'));
  expect(JSON.parse(output)).toMatchObject([{ type: 'key.created', sequence: 1 }]);
});

it('follows the stream with curl', async () => {
  const stream = blocks('sh')[1]!;
  const output = await outputUntil(['sh', '-c', `exec ${stream}`], (out) =>
    out.includes('data: {'),
  );
  expect(output).toMatch(/^retry: 3000\nid: 0\n\nid: evt_1_1_\w+\ndata: \{"id":"evt_1_1_/);
});

it('follows the stream with Node', async () => {
  const folder = temporaryFolder();
  const file = `${folder.path}/follow.mjs`;
  writeFileSync(file, blocks('js')[0]!);
  const categories = (output: string) => output.match(/"category.created"/g)?.length ?? 0;
  const following = outputUntil([process.execPath, file, '1'], (output) => categories(output) >= 2);
  const create = (name: string) => app.call('POST', '/v1/categories', { body: { name } });
  await create('before');
  await create('after');
  const lines = (await following)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  folder.remove();
  expect(lines.map(({ sequence }) => sequence)).toEqual([2, 3]);
});
