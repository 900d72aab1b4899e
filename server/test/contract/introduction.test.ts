import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { demoCategories } from '../../src/cli/demo/catalogue.ts';
import { introduction, introductionMarkdown } from '../../src/contract/introduction.ts';
import { errorCodes } from '../../src/domain/errors.ts';
import { type TestApp, testApp } from '../support/app.ts';

const run = promisify(execFile);

/** Matches the line with anything for its ellipses. */
function patternOf(line: string): RegExp {
  return new RegExp(line.split('…').map(RegExp.escape).join('.*'));
}

describe('the introduction of the reference', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ limits: 'free' });
  });

  it('covers what a newcomer needs, in this order', () => {
    expect(introduction.map(({ id }) => id)).toEqual([
      'authentication',
      'first-request',
      'paging',
      'errors',
      'limits',
      'idempotency',
      'dry-run',
      'etags',
      'deprecation',
      'changelog',
    ]);
  });

  it('creates no category that the demo has', () => {
    const names = demoCategories.map(({ name }) => name);
    const commands = introduction.map(({ command = '' }) => command).join('\n');
    for (const name of names) expect(commands).not.toContain(`{"name":"${name}"}`);
  });

  it('has the whole table of errors', () => {
    for (const code of errorCodes) expect(introductionMarkdown()).toContain(`| \`${code}\` |`);
  });

  it('opens the OpenAPI document and is a page of its own', async () => {
    const { body } = await app.call('GET', '/openapi.json', { key: null });
    expect(body.info.description).toBe(introductionMarkdown());
    const { text } = await app.call('GET', '/docs/guide', { key: null });
    for (const { id } of introduction) expect(text).toContain(`<section id="${id}">`);
  });

  // In order, on one store, as a reader would run them.
  it.each(introduction)(
    'has an example that works as it stands: $id',
    async ({ command, output }) => {
      const env = { ...process.env, API: `${app.address}/v1`, API_KEY: app.key };
      const { stdout } = await run('bash', ['-ec', command!], { env });
      expect(output!.length).toBeGreaterThan(0);
      // A line that ends in a space has lost its value.
      for (const line of output!) expect(line).toBe(line.trim());
      for (const line of output!) expect(stdout).toMatch(patternOf(line));
    },
  );
});
