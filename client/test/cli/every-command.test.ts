// Every operation as a command: what it prints is what the API has answered, byte for byte.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../../server/src/operations/operation.ts';
import { operations } from '../../../server/src/operations/operations.ts';
import { exampleRequests, World } from '../../../server/test/operations/example-requests.ts';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import type { OperationCommand } from '../../src/cli/command.ts';
import { operationCommands } from '../../src/cli/commands.ts';
import { runPetstore } from '../support/run-petstore.ts';

let app: TestApp;
let world: World;
let env: Record<string, string>;
/** The last answer that came through. */
const answered = { method: '', url: '', body: '', status: 0 };

beforeAll(async () => {
  const environment = {
    PETSTORE_SIGNUP: 'open',
    PETSTORE_BAN_AFTER: '2',
    PETSTORE_WEBHOOKS: 'off',
  };
  app = await testApp({ engine: 'sqlite', environment });
  world = new World(app, app.key);
  const proxy = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const headers = Object.entries(req.headers).filter(
      ([name]) => !/^(host|connection|transfer-encoding|content-length)$/.test(name),
    );
    const { method = '', url = '' } = req;
    const response = await fetch(app.address + url, {
      method,
      headers: headers as [string, string][],
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const body = await response.text();
    Object.assign(answered, { method, url, body, status: response.status });
    const passed = [...response.headers].filter(([name]) => /^(link|x-api-version)$/.test(name));
    res.writeHead(response.status, Object.fromEntries(passed)).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  const { port } = proxy.address() as AddressInfo;
  env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1` };
  return () => void proxy.close();
});

const every = operations
  .filter(({ id }) => operationCommands.some(({ operation }) => operation === id))
  .map((operation) => [operation.id, operation] as const);

/** The words of a command, and the key of its request: some take that of another workspace. */
async function commandFor(operation: Operation): Promise<{ args: string[]; key: string }> {
  const { path, body, options } = await exampleRequests[operation.id]!(world);
  const command = operationCommands.find((each) => each.operation === operation.id)!;
  const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '([^/?]+)')}(\\?|$)`);
  const words = [...pattern.exec(path)!].slice(1, -1).map(decodeURIComponent);
  const query = [...new URL(path, 'http://x').searchParams].flatMap(([field, value]) => {
    const flag = command.flags.find((each) => each.in === 'query' && each.field === field);
    return flag ? [`--${flag.name}`, value] : [];
  });
  const args = [
    ...command.name.split(' '),
    ...words,
    ...query,
    ...Object.entries(body ?? {}).flatMap(([field, value]) => bodyFlag(command, field, value)),
    ...(operation.method === 'DELETE' ? ['--yes'] : []),
  ];
  return { args, key: (options?.key as string | undefined) ?? app.key };
}

function bodyFlag(command: OperationCommand, field: string, value: unknown): string[] {
  const flag = command.flags.find((each) => each.in === 'body' && each.field === field);
  expect(flag, `${command.name} has no flag for ${field}`).toBeDefined();
  const { name, type, isList } = flag!;
  if (value === null) return ['--clear', name];
  if (isList) return [`--${name}`, (value as string[]).join(',')];
  return [`--${name}`, type === 'json' ? JSON.stringify(value) : String(value)];
}

describe('every command', () => {
  it.each(every)('%s has a flag for each field of its body', (id, { body }) => {
    const { properties = {} } = (body ?? {}) as { properties?: object };
    const { flags } = operationCommands.find(({ operation }) => operation === id)!;
    const fields = flags.filter((flag) => flag.in === 'body').map(({ field }) => field);
    expect(fields).toEqual(expect.arrayContaining(Object.keys(properties)));
  });

  it.each(every)('%s prints the answer of the API under --json', async (_, operation) => {
    const { args, key } = await commandFor(operation);
    const { code, stdout, stderr } = await runPetstore([...args, '--json'], {
      env: { ...env, PETSTORE_API_KEY: key },
    });
    expect(code, stderr).toBe(0);
    expect(answered.method).toBe(operation.method);
    expect(answered.status).toBeLessThan(300);
    const body = answered.body === '' ? undefined : JSON.parse(answered.body);
    const { isOneOfList } = operationCommands.find((each) => each.operation === operation.id)!;
    const printed = isOneOfList ? body[0] : body;
    expect(stdout).toBe(printed === undefined ? '' : `${JSON.stringify(printed)}\n`);
    expect(stderr).not.toContain('deprecated');
  });

  it.each(every)('%s refused leaves standard output empty', async (_, operation) => {
    const { args } = await commandFor(operation);
    const wrong = { ...env, PETSTORE_API_KEY: 'psk_wrong' };
    const { code, stdout, stderr } = await runPetstore([...args, '--json'], { env: wrong });
    if (operation.scope === 'none') return;
    expect([code, stdout]).toEqual([4, '']);
    expect(JSON.parse(stderr.trim().split('\n').at(-1)!)).toMatchObject({
      code: 'invalid_api_key',
      status: 401,
    });
  });
});
