// The examples of the pages on orders, stock and agents: each shell block runs as it stands, and prints the lines of the block behind it.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

const run = promisify(execFile);
const EXAMPLE = /```sh\n(.*?)```\n\n```text\n(.*?)```/gs;

/** Matches the line with anything for its ellipses. */
const patternOf = (line: string) => new RegExp(line.split('…').map(RegExp.escape).join('.*'));

describe.each(['orders', 'inventory', 'pets', 'agents'])('docs/%s.md', (page) => {
  const text = readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8');
  const examples = [...text.matchAll(EXAMPLE)];
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });

  it('has an output for every example', () => {
    expect(examples.length).toBeGreaterThan(0);
    expect(examples).toHaveLength(text.match(/```sh/g)!.length);
  });

  it.each(examples.map(([, command, output]) => ({ command, output })))(
    'prints $output',
    async ({ command, output }) => {
      const env = { ...process.env, API: `${app.address}/v1`, API_KEY: app.key };
      const { stdout } = await run('bash', ['-ec', command!], { env });
      for (const line of output!.trim().split('\n')) expect(stdout).toMatch(patternOf(line));
    },
  );
});
