import { beforeAll, describe, expect, it } from 'vitest';
import { callTool } from '../../mcp/agent.ts';
import { type Answer, type TestApp, testApp } from '../../support/app.ts';
import { signIn } from '../../support/console-session.ts';
import { expectError } from '../../support/contract.ts';
import { newWorkspace } from '../account/new-workspace.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_TRUST_PROXY: '127.0.0.1' } });
});

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
type Any = any;
const idOf = ({ headers }: Answer) => headers.get('x-request-id')!;

/** Calls of a workspace of its own; the cap of its reads is never reached. */
async function shop() {
  const key = await app.addWorkspace();
  const send = (method: string, path: string, options = {}) =>
    app.call<Any>(method, `/v1${path}`, { key, ...options });
  const look = (path: string, options = {}) => {
    app.clock.advance(1_100);
    return send('GET', path, options);
  };
  const category = (name: string) => send('POST', '/categories', { body: { name } });
  return { key, send, look, category };
}

/** Writes what waits in memory. */
const flush = (key: string) => app.call('GET', '/v1/usage', { key });

describe('a request that wrote', () => {
  it('is found by its id at once, also once it is written and after a restart', async () => {
    const { key, look, category } = await shop();
    const answer = await category('Dogs');
    const id = idOf(answer);
    const { body: found } = await look(`/requests/${id}`);
    expect(found).toMatchObject({
      id,
      method: 'POST',
      route: '/v1/categories',
      path: '/v1/categories',
      operationId: 'createCategory',
      status: 201,
      keyId: key.slice(4, 16),
      requestBytes: Buffer.byteLength(JSON.stringify({ name: 'Dogs' })),
      responseBytes: Buffer.byteLength(answer.text),
      isReplay: false,
      via: 'http',
      address: '127.0.0.0/24',
    });
    expect(Math.abs(Date.parse(found.at) - app.clock.now())).toBeLessThan(60_000);
    expect(found.durationMs).toBeGreaterThan(0);
    await flush(key);
    expect((await look(`/requests/${id}`)).body).toEqual(found);
    const later = await category('Cats');
    await app.restart();
    expect((await look(`/requests/${id}`)).body).toEqual(found);
    expect((await look(`/requests/${idOf(later)}`)).body.status).toBe(201);
  });

  it('is found by no other workspace, neither before nor after it is written', async () => {
    const { key, category } = await shop();
    const id = idOf(await category('Dogs'));
    const other = await shop();
    expectError(await other.look(`/requests/${id}`), 'not_found');
    await flush(key);
    expectError(await other.look(`/requests/${id}`), 'not_found');
  });

  it('is found although others have the same id: the newest one', async () => {
    const { look, send } = await shop();
    const headers = { 'x-request-id': 'till/7' };
    for (const name of ['One', 'Two', 'Two']) {
      await send('POST', '/categories', { body: { name }, headers });
    }
    expect((await look('/requests/till%2F7')).body).toMatchObject({ id: 'till/7', status: 409 });
    expect((await look('/requests')).body.map(({ status }: Any) => status)).toEqual([
      409, 201, 201,
    ]);
  });

  it('is marked if its response is a replay', async () => {
    const { look, send } = await shop();
    const options = { body: { name: 'Dogs' }, headers: { 'idempotency-key': 'once' } };
    const ids = [
      await send('POST', '/categories', options),
      await send('POST', '/categories', options),
    ];
    for (const [at, answer] of ids.entries()) {
      expect((await look(`/requests/${idOf(answer)}`)).body.isReplay).toBe(at === 1);
    }
  });

  it('says that it came from the console or from an agent', async () => {
    const { key, look } = await shop();
    const session = await signIn(app, key);
    const options = { body: { name: 'Dogs' } };
    const ofConsole = await session.call('POST', '/v1/categories', options);
    const { answer: ofAgent } = await callTool(app, 'createCategory', { name: 'Cats' }, { key });
    expect((await look(`/requests/${idOf(ofConsole)}`)).body).toMatchObject({
      via: 'console',
      keyId: session.keyId,
    });
    expect((await look(`/requests/${idOf(ofAgent)}`)).body).toMatchObject({
      via: 'mcp',
      path: '/mcp',
      operationId: 'createCategory',
      status: 201,
    });
  });
});

describe('the request log', () => {
  it('has refused reads and no others', async () => {
    const { look, send } = await shop();
    await send('GET', '/categories');
    const refused = await send('GET', '/categories/99');
    const unknown = await send('GET', '/nowhere');
    const { body } = await look('/requests');
    expect(body.map(({ id }: Any) => id)).toEqual([idOf(unknown), idOf(refused)]);
    expect(body[1]).toMatchObject({
      route: '/v1/categories/{categoryId}',
      path: '/v1/categories/99',
      status: 404,
      code: 'not_found',
    });
    expect(body[0].operationId).toBeUndefined();
    expect(body[0].route).toBeUndefined();
  });

  it('has no body, no query, no key and no header, whatever a client puts there', async () => {
    const { key, look, send } = await shop();
    const secret = 'Zm9vYmFyc2VjcmV0';
    const headers = { 'x-note': secret, 'idempotency-key': secret, cookie: `note=${secret}` };
    await send('POST', '/categories', { body: { name: secret }, headers });
    await send('POST', `/categories?note=${secret}`, { body: { name: secret } });
    await send('GET', `/categories/${key}`);
    await send('GET', '/categories', { headers: { 'x-api-key': `psk_${secret}` } });
    await flush(key);
    const { text, body } = await look('/requests');
    expect(body.length).toBeGreaterThanOrEqual(3);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(key);
  });

  it('filters by status, code, operation, key and time', async () => {
    const { key, look, send, category } = await shop();
    await category('Dogs');
    await flush(key);
    app.clock.advance(3_600_000);
    const from = new Date(app.clock.now()).toISOString();
    await category('Dogs');
    await category('');
    await send('GET', '/pets/1');
    const statuses = async (query: string) =>
      (await look(`/requests?${query}`)).body.map(({ status }: Any) => status);
    expect(await statuses('')).toEqual([404, 400, 409, 201]);
    expect(await statuses('status=4xx')).toEqual([404, 400, 409]);
    expect(await statuses('status=409')).toEqual([409]);
    expect(await statuses('status=5xx')).toEqual([]);
    expect(await statuses('code=invalid_request')).toEqual([400]);
    expect(await statuses('operationId=createCategory')).toEqual([400, 409, 201]);
    expect(await statuses(`keyId=${key.slice(4, 16)}`)).toEqual([404, 400, 409, 201]);
    expect(await statuses('keyId=another')).toEqual([]);
    expect(await statuses(`from=${from}`)).toEqual([404, 400, 409]);
    expect(await statuses(`to=${from}`)).toEqual([201]);
    expect(await statuses('sort=at')).toEqual([201, 409, 400, 404]);
    for (const wrong of ['4x', '600', '40', 'xxx', '4xx5']) {
      expectError(await look(`/requests?status=${wrong}`), 'invalid_request');
    }
  });

  it('is paged through without a gap or a repetition while rows are written', async () => {
    const { key, look, send } = await shop();
    const sent: string[] = [];
    for (let n = 0; n < 24; n++) {
      sent.unshift(idOf(await send('GET', `/pets/${n + 1}`)));
      if (n === 10) await flush(key);
    }
    const seen: string[] = [];
    for (let path: string | undefined = '/requests?limit=5&status=404'; path; ) {
      const answer: Answer<Any> = await look(path);
      seen.push(...answer.body.map(({ id }: Any) => id));
      await flush(key);
      path = /<\/v1([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(sent);
  });

  it('shows an address only to keys with manage, and only its network', async () => {
    const { key, look, send } = await shop();
    const workspaceId = (await send('GET', '/workspace')).body.id;
    const reader = await app.addKey(['read'], workspaceId);
    const ids: string[] = [];
    for (const address of ['203.0.113.77', '2001:db8:1:2::3']) {
      ids.push(idOf(await send('GET', '/pets/1', { headers: { 'x-forwarded-for': address } })));
    }
    const addresses = async (used: string) => {
      const found = await Promise.all(ids.map((id) => look(`/requests/${id}`, { key: used })));
      return found.map(({ body }) => body.address);
    };
    expect(await addresses(key)).toEqual(['203.0.113.0/24', '2001:db8:1::/48']);
    expect(await addresses(reader)).toEqual([undefined, undefined]);
    const { body } = await look('/requests', { key: reader });
    expect(body.every(({ address }: Any) => address === undefined)).toBe(true);
  });

  it('costs no quota and has a cap of 60 a minute for each key', async () => {
    const own = await newWorkspace(app, {
      plan: 'enterprise',
      limits: { perMinute: 2, perDay: 2 },
    });
    app.clock.advance(61_000);
    for (let n = 0; n < 60; n++) expect((await own.ask('/v1/requests')).status).toBe(200);
    const { body } = await own.ask('/v1/requests');
    expect(body).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(body.message).toContain('60 requests a minute for the log of requests');
    expect(await own.spend(2)).toEqual([200, 200]);
  });

  it('keeps ten equal 429s of a key in a minute', async () => {
    const limits = { perMinute: 1, perDay: 1_000 };
    const own = await newWorkspace(app, { plan: 'enterprise', limits });
    app.clock.advance(61_000);
    await own.spend(20);
    await own.ask('/v1/pets');
    const { body } = await own.ask('/v1/requests?limit=100');
    const refused = body.filter(({ status }: Any) => status === 429);
    const ofOperation = (id: string) =>
      refused.filter(({ operationId }: Any) => operationId === id).length;
    expect([ofOperation('listCategories'), ofOperation('listPets')]).toEqual([10, 1]);
  });
});

describe('the operator', () => {
  it('sees the requests of any workspace, and those without a valid key', async () => {
    const { category, send } = await shop();
    const owned = await category('Dogs');
    const { body: workspace } = await send('GET', '/workspace');
    const foreign = await app.call('GET', '/v1/pets', { key: `psk_${'x'.repeat(50)}` });
    const ask = (path: string) => app.call('GET', `/v1/admin/requests${path}`);
    const { body: ofShop } = await ask(`?workspaceId=${workspace.id}`);
    expect(ofShop[0]).toMatchObject({ id: idOf(owned), workspaceId: workspace.id });
    expect(ofShop[0].address).toBe('127.0.0.0/24');
    const { body: without } = await ask('');
    expect(without[0]).toMatchObject({ id: idOf(foreign), status: 401, code: 'invalid_api_key' });
    expect(without.every((each: Any) => !('workspaceId' in each) && !('keyId' in each))).toBe(true);
    expect((await ask(`/${idOf(owned)}`)).body.workspaceId).toBe(workspace.id);
    expect((await ask(`/${idOf(foreign)}`)).body.status).toBe(401);
    expectError(await ask(`/${idOf(owned)}?workspaceId=1`), 'not_found');
    expect((await ask('?workspaceId=9223372036854775807')).body).toEqual([]);
  });
});

it('is not there with PETSTORE_REQUEST_LOG_DAYS=0', async () => {
  const other = await testApp({ environment: { PETSTORE_REQUEST_LOG_DAYS: '0' } });
  for (const path of ['/requests', '/requests/abc', '/admin/requests', '/admin/requests/abc']) {
    expectError(await other.call('GET', `/v1${path}`), 'not_found');
  }
});
