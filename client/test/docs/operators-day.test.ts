// The commands of docs/operators-day.md, one after the other, as an operator types them.

import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { commands } from '../../../server/src/cli/commands.ts';
import { newWorkspace } from '../../../server/test/operations/account/new-workspace.ts';
import { testApp } from '../../../server/test/support/app.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { runPetstore } from '../support/run-petstore.ts';

const PAGE = readFileSync(new URL('../../../docs/operators-day.md', import.meta.url), 'utf8');
const KEY = 'psk_3ZrHIxYjJZftVq8sLd0mC5wYb2NkR7TgPe1XaHj4UoFi9KzQvB';
const lines = [...PAGE.matchAll(/^petstore (.*)$/gm)].map(([, line]) => wordsOf(line!));

function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
}

it('each command over the API works, and does what the page says', async () => {
  const app = await testApp({ engine: 'sqlite' });
  const own = await newWorkspace(app, { name: 'Happy Paws' });
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const asked = await app.call('GET', '/v1/pets?unknown=1', { key: own.key });
  const placeholders: Record<string, string> = {
    [KEY]: own.key,
    [KEY.slice(4, 16)]: own.keyId,
    '8c1f0b6e92d47a3f5e-4f': asked.headers.get('x-request-id')!,
    'workspace-2.tar.gz': `${folder.path}/workspace-2.tar.gz`,
    2: String(own.id),
  };
  const env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  const outputs: Record<string, string> = {};
  for (const words of lines.filter(([first]) => first !== 'server')) {
    const typed = words.map((word) => placeholders[word] ?? word);
    const { code, stdout, stderr } = await runPetstore(typed, { env });
    expect([words.join(' '), code], stderr).toEqual([words.join(' '), 0]);
    expect(stdout + stderr).not.toContain(own.key);
    outputs[words.slice(0, 2).join(' ')] = stdout;
  }
  expect(JSON.parse(outputs['keys list-any']!)).toMatchObject([{ workspaceId: own.id }]);
  const request = { status: 400, keyId: own.keyId, workspaceId: own.id };
  expect(JSON.parse(outputs['requests get-any']!)).toMatchObject(request);
  expect(outputs['requests list-any']).toContain('invalid_request');
  expect(JSON.parse(outputs['workspaces get']!)).toMatchObject({ state: 'closing' });
  expect((await app.call('GET', '/v1/pets', { key: own.key })).status).toBe(401);
});

it('each command on the machine is one, with options that it takes', () => {
  const onMachine = lines.filter(([first]) => first === 'server');
  expect(onMachine.length).toBeGreaterThan(3);
  for (const words of onMachine) {
    const command = commands.find(({ name }) => words.join(' ').startsWith(name));
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
    expect(Object.keys(command?.options ?? {}), words.join(' ')).toEqual(
      expect.arrayContaining(options),
    );
  }
});
