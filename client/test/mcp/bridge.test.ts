import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { runPetstore } from '../support/run-petstore.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/petstore.ts', import.meta.url));
let app: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  const home = temporaryFolder();
  app = await testApp();
  env = {
    PETSTORE_API_KEY: app.key,
    PETSTORE_BASE_URL: `${app.address}/v1`,
    XDG_CONFIG_HOME: home.path,
  };
  return () => home.remove();
});

const request = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

describe('petstore mcp', () => {
  it.each(['auto', 'legacy'] as const)(
    'serves an official client over its streams, in the era %s',
    async (mode) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const transport = new StdioClientTransport({
        command: execPath,
        args: [MAIN, 'mcp', '--read-only', '--tools', 'categories'],
        env,
      });
      await client.connect(transport);
      onTestFinished(() => client.close());
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['listCategories', 'getCategory']);
      const { content } = await client.callTool({ name: 'listCategories', arguments: {} });
      expect(content).toEqual([{ type: 'text', text: '{"items":[]}' }]);
    },
  );

  it('answers each request on one line, and nothing else', async () => {
    const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n';
    const input = `${request(1, 'ping')}${notification}\n${request(2, 'nothing')}`;
    const { code, stdout, stderr } = await runPetstore(['mcp'], { env, input });
    expect(code).toBe(0);
    expect(stderr).toBe('');
    const replies = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(replies).toHaveLength(2);
    expect(replies).toContainEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(replies.find(({ id }) => id === 2).error.code).toBe(-32_601);
  });

  it('an error of the service is the error of the request', async () => {
    const wrong = { ...env, PETSTORE_API_KEY: `${app.key}x` };
    const { code, stdout, stderr } = await runPetstore(['mcp'], {
      env: wrong,
      input: request(5, 'tools/list'),
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 5,
      error: { code: -32_000, data: { code: 'invalid_api_key' } },
    });
    expect(`${stdout}${stderr}`).not.toContain(app.key);
  });

  it('a service that cannot be reached is the error of the request', async () => {
    const gone = { ...env, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };
    const { code, stdout } = await runPetstore(['mcp'], { env: gone, input: request(6, 'ping') });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).error.message).toBe(
      'http://127.0.0.1:9 cannot be reached: bad port.',
    );
  });

  it('a key that no header can carry is a wrong setting, and is not shown', async () => {
    const pasted = { ...env, PETSTORE_API_KEY: `${app.key.slice(0, 20)}…` };
    const { code, stdout, stderr } = await runPetstore(['mcp'], {
      env: pasted,
      input: request(9, 'ping'),
    });
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toBe('petstore: the API key holds a character that no key has\n');
  });

  it('a name that no header can carry is not taken for a lost connection', async () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const input = request(10, 'tools/call', { name: 'placeOrder…', _meta });
    const { stdout } = await runPetstore(['mcp'], { env, input });
    const { message } = JSON.parse(stdout).error;
    expect(message).toContain('character');
    expect(message).not.toContain('reached');
  });

  it.each([
    ['JSON that the service does not take', { name: 'listPets', arguments: { name: '\ud83d' } }],
    ['params that are no object', []],
  ])('a request with %s is answered under its id', async (_, params) => {
    const input = request(11, 'tools/call', params);
    const { code, stdout, stderr } = await runPetstore(['mcp'], { env, input });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 11, error: { code: -32_600 } });
  });

  it('a message is one line, whatever separators of Unicode it contains', async () => {
    const input = request(7, 'ping', { note: 'one\u2028two\u2029three' }) + request(8, 'ping');
    const { code, stdout, stderr } = await runPetstore(['mcp'], { env, input: input.trimEnd() });
    expect([code, stderr]).toEqual([0, '']);
    const replies = stdout.trimEnd().split('\n').sort();
    expect(replies.map((line) => JSON.parse(line))).toEqual([
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 8, result: {} },
    ]);
  });

  it.each<[string, (res: ServerResponse) => void, RegExp]>([
    [
      'a response that breaks off',
      (res) => {
        res.writeHead(200, { 'content-length': '100' });
        res.write('{"jsonrpc"', () => res.destroy());
      },
      /^The response of http:\S+ broke off\.$/,
    ],
    [
      'an empty response with an error status',
      (res) => void res.writeHead(502).end(),
      /^The service answered 502\.$/,
    ],
    [
      'a redirect, which is not followed,',
      (res) => void res.writeHead(308, { location: '/v1/elsewhere' }).end(),
      /^http:\S+ cannot be reached: unexpected redirect\.$/,
    ],
  ])('%s is the error of the request', async (_, answer, message) => {
    const server = createServer((_req, res) => answer(res)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, stdout, stderr } = await runPetstore(['mcp'], {
      env: { ...env, PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1` },
      input: request(9, 'ping'),
    });
    expect([code, stderr]).toEqual([0, '']);
    const error = { code: -32_000, message: expect.stringMatching(message) };
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: '2.0', id: 9, error });
  });

  it('without a key it exits 4 with one line', async () => {
    const { PETSTORE_API_KEY: _, ...keyless } = env;
    const { code, stdout, stderr } = await runPetstore(['mcp'], { env: keyless });
    expect(code).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^petstore: no key is set: [^\n]+\n$/);
  });
});

describe('petstore mcp config', () => {
  const config = async (...args: string[]) =>
    JSON.parse((await runPetstore(['mcp', 'config', '--for', ...args], { env })).stdout);
  const server = { command: 'petstore', args: ['mcp'] };

  it('prints what each host expects, without the key', async () => {
    expect(await config('claude')).toEqual({ mcpServers: { petstore: server } });
    expect(await config('cursor')).toEqual({ mcpServers: { petstore: server } });
    const tools = ['--tools', 'orders', '--tools', 'listPets'];
    const { servers } = await config('vscode', '--read-only', ...tools);
    const args = ['mcp', '--read-only', '--tools', 'orders,listPets'];
    expect(servers).toEqual({ petstore: { type: 'stdio', ...server, args } });
  });

  it('names the hosts it knows', async () => {
    const { code, stderr } = await runPetstore(['mcp', 'config', '--for', 'emacs'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('claude, cursor, vscode');
  });
});
