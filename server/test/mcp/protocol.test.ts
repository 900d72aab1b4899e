import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { expectApiHeaders, expectError } from '../support/contract.ts';
import { envelope, MODERN, send } from './agent.ts';

const SUPPORTED = ['2026-07-28', '2025-11-25', '2025-06-18'];
const SHOP = 'https://shop.example';
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_CORS_ORIGINS: SHOP } });
});

/** A message without any header of MCP. */
function post(body: unknown, headers: Record<string, string> = {}) {
  app.clock.advance(61_000);
  return app.call('POST', '/mcp', { body, headers });
}
const request = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params,
});

describe('requests of 2026-07-28', () => {
  it('server/discover names the revisions, the capabilities and how to use the tools', async () => {
    const { status, body } = await send(app, 'server/discover');
    expect(status).toBe(200);
    const { instructions, ...result } = body.result;
    expect(result).toMatchObject({
      supportedVersions: SUPPORTED,
      capabilities: { tools: {} },
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'private',
    });
    expect(instructions.length).toBeLessThan(600);
    expect(instructions).toMatch(/dryRun: true/);
    expect(instructions).toMatch(/idempotencyKey/);
  });

  it('tools/list may be kept for five minutes by the same key', async () => {
    const { body } = await send(app, 'tools/list');
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' },
    });
  });

  it.each([
    ['mcp-method', 'tools/call'],
    ['mcp-protocol-version', '2025-11-25'],
  ])('a header %s that differs from the body is refused', async (name, value) => {
    const { status, body } = await send(app, 'tools/list', {}, { headers: { [name]: value } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32020 } });
  });

  it('a name of a tool in the header that differs from the body is refused, and nothing runs', async () => {
    const headers = { 'mcp-name': 'listPets' };
    const params = { name: 'createCategory', arguments: { name: 'Mismatch' } };
    const { status, body } = await send(app, 'tools/call', params, { headers });
    expect(status).toBe(400);
    expect(body.error.code).toBe(-32020);
    expect((await app.call('GET', '/v1/categories')).body).toEqual([]);
  });

  it('headers that are missing are a mismatch', async () => {
    const { status, body } = await post(request('tools/list', { _meta: envelope }));
    expect(status).toBe(400);
    expect(body.error.code).toBe(-32020);
  });

  it('a revision that is not supported is refused with those that are', async () => {
    const version = '2030-01-01';
    const _meta = { ...envelope, 'io.modelcontextprotocol/protocolVersion': version };
    const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' };
    const { status, body } = await post(request('tools/list', { _meta }), headers);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: -32022,
      data: { supported: SUPPORTED, requested: version },
    });
  });

  it('a header of this revision without the envelope is refused', async () => {
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' };
    const { status, body } = await post(request('tools/list'), headers);
    expect(status).toBe(400);
    expect(body.error.code).toBe(-32602);
  });

  it.each(['initialize', 'ping', 'resources/list', 'toString', '__proto__'])(
    'there is no method %s',
    async (method) => {
      const { status, body } = await send(app, method);
      expect(status).toBe(404);
      expect(body).toMatchObject({ id: 1, error: { code: -32601 } });
    },
  );

  it('a tool that does not exist is a fault of the parameters', async () => {
    const { status, body } = await send(app, 'tools/call', { name: 'flyAway', arguments: {} });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 1, error: { code: -32602 } });
  });
});

describe('requests of clients that open with initialize', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2025-11-25'],
  ])('a client that asks for %s is offered %s', async (protocolVersion, offered) => {
    const { status, headers, body } = await post(request('initialize', { protocolVersion }));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.has('mcp-session-id')).toBe(false);
    expect(body.result).toMatchObject({
      protocolVersion: offered,
      capabilities: { tools: {} },
      serverInfo: { name: 'petstore' },
    });
  });

  it('a session id is ignored, and the revision may be in the header', async () => {
    const headers = { 'mcp-session-id': 'gone', 'mcp-protocol-version': '2025-06-18' };
    const { status, body } = await post(request('tools/list'), headers);
    expect(status).toBe(200);
    expect(Object.keys(body.result)).toEqual(['tools']);
  });

  it('ping is answered', async () => {
    expect((await post(request('ping'))).body).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
  });

  it('an unknown revision in the header is refused with those that are supported', async () => {
    const { status, body } = await post(request('ping'), { 'mcp-protocol-version': '1999-01-01' });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: -32022, data: { supported: SUPPORTED } });
  });

  it('an unknown method is 404', async () => {
    const { status, body } = await post(request('prompts/list'));
    expect(status).toBe(404);
    expect(body.error.code).toBe(-32601);
  });
});

describe('arguments that the operation refuses', () => {
  it.each([
    ['a number that is not written as a whole one', '{"limit":2.0}', 'limit'],
    ['a list without entries, which would not filter', '{"id":[]}', 'id'],
  ])('%s', async (_, given, field) => {
    const params = `{"name":"listPets","arguments":${given}}`;
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params}}`;
    const answer = await post(body, { 'content-type': 'application/json' });
    expect(answer.body).toMatchObject({ id: 7, result: { isError: true } });
    const error = JSON.parse(answer.body.result.content[0].text);
    expect(error).toMatchObject({ code: 'invalid_request', details: [{ field }] });
  });
});

describe('bodies that hold no request', () => {
  it.each([
    ['no JSON', '{"jsonrpc":', 400, -32700],
    ['no body', '', 400, -32700],
    ['an array', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
    ['a number', '5', 400, -32600],
    ['null', 'null', 400, -32600],
    ['no jsonrpc', '{"id":1,"method":"ping"}', 400, -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', 400, -32600],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ['an id above 2^53-1', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', 400, -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
    ['params in a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600],
    ['a field twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32600],
    ['__proto__', '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}', 400, -32600],
  ])('%s', async (_, body, status, code) => {
    const answer = await post(body, { 'content-type': 'application/json' });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    expectApiHeaders(answer);
  });

  it.each([
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('%s is accepted without a body', async (_, message) => {
    const answer = await post(message);
    expect(answer.status).toBe(202);
    expect(answer.text).toBe('');
    expectApiHeaders(answer);
  });

  it('a notification that names a tool runs nothing', async () => {
    const params = { name: 'createCategory', arguments: { name: 'Silent' } };
    expect((await post({ jsonrpc: '2.0', method: 'tools/call', params })).status).toBe(202);
    expect((await app.call('GET', '/v1/categories')).body).toEqual([]);
  });
});

describe('what is refused before a message is read keeps its error', () => {
  it.each(['GET', 'DELETE', 'PUT', 'HEAD'])(
    '%s is 405 before the key is checked',
    async (method) => {
      const answer = await app.call(method, '/mcp', { key: null });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
      expectApiHeaders(answer);
    },
  );

  it('401 names the scheme', async () => {
    const answer = await send(app, 'tools/list', {}, { key: null });
    expectError(answer, 'missing_api_key');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="petstore"');
    expectError(await send(app, 'tools/list', {}, { key: `${app.key}x` }), 'invalid_api_key');
  });

  it.each(['oauth-protected-resource', 'oauth-authorization-server'])(
    '/.well-known/%s is 404, so that clients do not look for OAuth',
    async (name) => {
      const answer = await app.call('GET', `/.well-known/${name}`, { key: null });
      expect(answer.status).toBe(404);
      expect(answer.body.code).toBe('not_found');
    },
  );

  it('415 and 413', async () => {
    const text = { 'content-type': 'text/plain' };
    expectError(await post('{}', text), 'unsupported_media_type');
    const large = `{"x":"${'x'.repeat(300_000)}"}`;
    expectError(await post(large, { 'content-type': 'application/json' }), 'payload_too_large');
  });

  it('a foreign origin is 403, an allowed one and none pass', async () => {
    const foreign = { origin: 'https://evil.example' };
    expectError(await send(app, 'tools/list', {}, { headers: foreign }), 'origin_not_allowed');
    const own = { origin: app.address };
    expectError(await send(app, 'tools/list', {}, { headers: own }), 'origin_not_allowed');
    const allowed = await send(app, 'tools/list', {}, { headers: { origin: SHOP } });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect((await send(app, 'tools/list')).status).toBe(200);
  });

  it.each(['?tools=nothing', '?tools=createKey', '?readonly=yes', '?structured=1', '?limit=5'])(
    'the address %s is 400',
    async (search) => {
      app.clock.advance(61_000);
      const answer = await send(app, 'tools/list', {}, { search });
      expectError(answer, 'invalid_request');
    },
  );

  it('a session is no key', async () => {
    const { headers } = await app.call('POST', '/v1/session');
    const cookie = headers.get('set-cookie')!.split(';')[0]!;
    const options = { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
    expectError(await send(app, 'tools/list', {}, options), 'missing_api_key');
  });

  it('says that it is experimental, on answers of every kind', async () => {
    expect((await send(app, 'tools/list')).headers.get('x-stability')).toBe('experimental');
  });
});
