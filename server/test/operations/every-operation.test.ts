// What holds for every operation. The tests loop over the list of operations, so a new one cannot be forgotten; its
// valid request comes from example-requests.ts.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Transaction } from '../../src/datastore/datastore.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { type Scope, scopes } from '../../src/domain/key.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/operations.ts';
import { type Answer, type CallOptions, type TestApp, testApp } from '../support/app.ts';
import { expectApiHeaders, expectDocumented, expectError } from '../support/contract.ts';
import { onOne } from '../support/effort.ts';
import { type ExampleRequest, exampleRequests, optionsFor, World } from './example-requests.ts';

let app: TestApp;
let world: World;
let neighbour: World;

beforeAll(async () => {
  // Deliveries would change webhooks between two requests.
  const environment = {
    PETSTORE_SIGNUP: 'open',
    PETSTORE_BAN_AFTER: '2',
    PETSTORE_WEBHOOKS: 'off',
  };
  app = await testApp({ environment });
  world = new World(app, app.key);
  neighbour = new World(app, await app.addWorkspace());
});

const named = (list: readonly Operation[]) =>
  list.map((operation) => [operation.id, operation] as const);
const every = named(operations);
const needingKey = named(operations.filter(({ scope }) => scope !== 'none'));
const needingScope = needingKey.filter(([, { scope }]) => scope !== 'any');
const reads = named(operations.filter(({ kind }) => kind === 'read'));
const writes = named(operations.filter(({ kind }) => kind !== 'read'));
const rechecked = writes.filter(([, { scope }]) => scope === 'manage' || scope === 'operate');
const withBody = named(operations.filter(({ body }) => body !== undefined));
const withRecord = named(operations.filter(({ success }) => success.kind === 'record'));
const matching = named(operations.filter((each) => each.isConditional && each.method !== 'PUT'));
const withParams = named(operations.filter(({ params }) => params !== undefined));
const withIntegerParam = withParams.filter(([, { params }]) =>
  Object.values(params!).some(({ schema }) => schema.type === 'integer'),
);
/** The workspace of the tests has keys with operate, so it cannot be closed. */
const isOpenToOperators = ([id]: readonly [string, Operation]) => id !== 'closeWorkspace';
/** A key with operate sees all workspaces, any other only its own. */
const ofWorkspaces = withParams.filter(([, { scope }]) => scope !== 'operate');
/** To a put, a foreign record is as absent as any: it creates one. */
const bounded = ofWorkspaces.filter(([, { success }]) => success.kind !== 'put');

async function example(operation: Operation, place: World = world) {
  const make = exampleRequests[operation.id];
  if (!make) throw new Error(`add a request of ${operation.id} to example-requests.ts`);
  return make(place);
}

/** One example per operation for all requests that are refused, and so leave its records as they are. */
function refusedExample(operation: Operation) {
  return shared(`example ${operation.id}`, () => example(operation));
}

/** A key with these scopes. Creating one opens the database, so the tests share them. */
function keyWith(wanted: readonly Scope[]): Promise<string> {
  return shared(`key ${wanted.join()}`, () => app.addKey(wanted));
}

const made = new Map<string, unknown>();

function shared<T>(name: string, make: () => Promise<T>): Promise<T> {
  if (!made.has(name)) made.set(name, make());
  return made.get(name) as Promise<T>;
}

async function sendRefused(operation: Operation, options: CallOptions = {}, search = '') {
  return sendExample(operation, await refusedExample(operation), options, search);
}

async function send(operation: Operation, options: CallOptions = {}) {
  return sendExample(operation, await example(operation), options);
}

function sendExample(
  operation: Operation,
  request: ExampleRequest,
  options: CallOptions,
  search = '',
) {
  const { path } = request;
  const query = path.includes('?') ? search.replace('?', '&') : search;
  return app.call(operation.method, `/v1${path}${query}`, optionsFor(request, options));
}

/** The path of an absent record. */
function missingPath({ path, params }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    params?.[name]?.schema.type === 'integer' ? '999999999' : 'AAAAAAAAAAAA',
  );
}

function idIn(operation: Operation, path: string): string {
  const at = operation.path.split('/').findIndex((part) => part.startsWith('{'));
  return path.split('/')[at]!;
}

function withoutRequestId({ text, body }: Answer<{ requestId: string }>): string {
  return text.replace(body.requestId, '');
}

describe('every operation', () => {
  it.each(every)('%s returns what its schema says', async (id, operation) => {
    const answer = await send(operation);
    expect(answer.status, answer.text).toBe(operation.success.status);
    expectDocumented(id, answer);
  });

  it.each(onOne(needingKey))('%s returns 401 without a key', async (id, operation) => {
    const answer = await sendRefused(operation, { key: null });
    expectError(answer, 'missing_api_key');
    expectDocumented(id, answer);
  });

  it.each(onOne(needingScope))('%s returns 403 without its scope, named', async (id, operation) => {
    const key = await keyWith(scopes.filter((scope) => scope !== operation.scope));
    const answer = await sendRefused(operation, { key });
    expectError(answer, 'insufficient_scope');
    expectDocumented(id, answer);
    expect(answer.body.message).toContain(operation.scope);
    expect(answer.body.details).toEqual({ scope: operation.scope });
  });

  it.each(onOne(needingScope.filter(isOpenToOperators)))(
    '%s needs no scope but its own',
    async (_, operation) => {
      const key = await keyWith([operation.scope as Scope]);
      expect((await send(operation, { key })).status).toBe(operation.success.status);
    },
  );

  it.each(onOne(every))(
    '%s refuses a query parameter it does not know, and names it',
    async (id, operation) => {
      const answer = await sendRefused(operation, {}, '?colour=red');
      expectError(answer, 'invalid_request');
      expectDocumented(id, answer);
      expect(answer.body.details[0].field).toBe('colour');
    },
  );

  it.each(onOne(every))('%s refuses an Accept header that excludes JSON', async (id, operation) => {
    const answer = await sendRefused(operation, { headers: { accept: 'text/html' } });
    expectError(answer, 'not_acceptable');
    expectDocumented(id, answer);
  });

  it.each(onOne(every))('%s shows its stability, also on refusal', async (_, operation) => {
    const { stability, deprecation } = operation;
    for (const answer of [await send(operation), await sendRefused(operation, {}, '?colour=red')]) {
      expect(answer.headers.get('x-stability')).toBe(stability ?? null);
      expect(answer.headers.has('deprecation')).toBe(deprecation !== undefined);
      expect(answer.headers.has('sunset')).toBe(deprecation !== undefined);
      const relations = answer.headers.get('link') ?? '';
      expect(relations.includes('rel="successor-version"')).toBe(deprecation !== undefined);
    }
  });

  it.each(onOne(every))(
    '%s refuses methods that its path does not accept, and names those it accepts',
    async (_, operation) => {
      const { path, body } = await refusedExample(operation);
      const taken = operations.filter((other) => other.path === operation.path);
      const allow = taken.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      const others = ['PUT', 'OPTIONS', 'GET', 'POST', 'PATCH', 'DELETE'].filter(
        (method) => !allow.includes(method),
      );
      for (const method of others) {
        const options = method === 'GET' || body === undefined ? {} : { body };
        const answer = await app.call(method, `/v1${path}`, options);
        expectError(answer, 'method_not_allowed');
        expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allow.sort());
      }
    },
  );
});

describe('every read', () => {
  it.each(onOne(reads))('%s responds to HEAD as to GET, without the body', async (_, operation) => {
    const { path, options } = await example(operation);
    // An answer that tells the time is longer by a fraction of a second where there is one.
    const now = app.clock.now();
    vi.spyOn(app.clock, 'now').mockReturnValue(now);
    const get = await app.call('GET', `/v1${path}`, options);
    const head = await app.call('HEAD', `/v1${path}`, options);
    vi.restoreAllMocks();
    expect(head.status).toBe(get.status);
    expect(head.text).toBe('');
    expectApiHeaders(head);
    // What passes between the two requests: time, counts, and names of requests.
    const passing =
      /^(date|x-request-id|(x-)?ratelimit.*|connection|keep-alive|transfer-encoding)$/;
    const lasting = ({ headers }: Answer) => [...headers].filter(([name]) => !passing.test(name));
    expect(lasting(head)).toEqual(lasting(get));
  });

  it.each(withRecord.filter(([, { kind }]) => kind === 'read'))(
    '%s answers 304 while the record has the ETag the client knows',
    async (id, operation) => {
      const { path } = await example(operation);
      const { headers } = await app.call('GET', `/v1${path}`);
      const etag = headers.get('etag')!;
      expect(etag).toMatch(/^"[^"]+"$/);
      for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = { headers: { 'if-none-match': condition } };
        const answer = await app.call('GET', `/v1${path}`, again);
        expect(answer.status).toBe(304);
        expect(answer.headers.get('etag')).toBe(etag);
        expectDocumented(id, answer);
      }
      const other = { headers: { 'if-none-match': '"other"' } };
      expect((await app.call('GET', `/v1${path}`, other)).status).toBe(200);
    },
  );
});

describe('every operation with an id in its path', () => {
  it.each(bounded)(
    '%s responds to the id of a foreign record exactly as to an absent one',
    async (id, operation) => {
      const { path, body } = await example(operation, neighbour);
      const options = body === undefined ? {} : { body };
      const foreign = await app.call(operation.method, `/v1${path}`, options);
      const missing = await app.call(operation.method, `/v1${missingPath(operation)}`, options);
      expectError(foreign, 'not_found');
      expectDocumented(id, foreign);
      const [foreignId, missingId] = [path, missingPath(operation)].map((at) =>
        idIn(operation, at),
      );
      expect(foreign.body.message).toContain(` ${foreignId} `);
      expect(withoutRequestId(foreign).replace(foreignId!, missingId!)).toBe(
        withoutRequestId(missing),
      );
      const names = ({ headers }: Answer) => [...headers.keys()].sort();
      expect(names(foreign)).toEqual(names(missing));
      const own = await app.call(operation.method, `/v1${path}`, {
        ...options,
        key: neighbour.key,
      });
      expect(own.status, 'the owner still sees it').toBe(operation.success.status);
    },
  );

  it.each(withIntegerParam)('%s never mistakes one id for another', async (id, operation) => {
    const { body } = await example(operation);
    const ask = (value: string) => {
      const path = operation.path.replace(/\{\w+\}/, value);
      return app.call(operation.method, `/v1${path}`, body === undefined ? {} : { body });
    };
    for (const value of ['9007199254740992', '9007199254740993', '9223372036854775807']) {
      expectError(await ask(value), 'not_found');
    }
    const wrong = '9223372036854775808 1e3 01 0 -1 +1 1.0 abc %201 1%00 0x1 %D9%A1'.split(' ');
    for (const value of [...wrong, '1'.repeat(400)]) {
      const answer = await ask(value);
      expectError(answer, 'invalid_request');
      expectDocumented(id, answer);
    }
  });
});

describe('every write', () => {
  // A session that has ended is refused before its stored response is looked for.
  it.each(writes.filter(([, { session }]) => session !== 'ends'))(
    '%s replays its response for the same Idempotency-Key',
    async (id, operation) => {
      const request = await example(operation);
      const { path } = request;
      const own = operation.session ? { ...request, options: {} } : request;
      const options = optionsFor(own, { headers: { 'idempotency-key': `every-${id}` } });
      const first = await app.call(operation.method, `/v1${path}`, options);
      expect(first.status, first.text).toBe(operation.success.status);
      expect(first.headers.has('idempotency-replayed')).toBe(false);
      const second = await app.call(operation.method, `/v1${path}`, options);
      expect(second.status).toBe(first.status);
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      expect(second.headers.get('location')).toBe(first.headers.get('location'));
      expectDocumented(id, second);
      expect(second.text).not.toMatch(/psk_\w{50}|whsec_[\w+/]{32}/);
      const secret = /,"key":"psk_\w+"|,"secret":"whsec_[^"]+"/;
      expect(second.text).toBe(first.text.replace(secret, ''));
    },
  );

  it.each(matching)(
    '%s refuses a stale If-Match, and an If-None-Match that matches, and changes nothing',
    async (id, operation) => {
      const { path, body } = await example(operation);
      const send = (headers: Record<string, string>) =>
        app.call(operation.method, `/v1${path}`, {
          ...(body === undefined ? {} : { body }),
          headers,
        });
      const etagNow = async () => (await app.call('GET', `/v1${path}`)).headers.get('etag')!;
      const etag = await etagNow();
      const stale = ['"stale"', '"stale", "older"', '', `W/${etag}`].map((tag) => ['match', tag]);
      const met = [etag, `"x", W/${etag}`, '*', 'bare', ''].map((tag) => ['none-match', tag]);
      for (const [condition, tag] of [...stale, ...met]) {
        const answer = await send({ [`if-${condition}`]: tag! });
        expectError(answer, 'precondition_failed');
        expectDocumented(id, answer);
      }
      // It changes with the record, but not with the position of a webhook in the feed, which other tests move.
      expect(await etagNow()).toBe(etag);
      const fresh = await send({ 'if-match': `"other", ${etag}`, 'if-none-match': '"other"' });
      expect(fresh.status).toBe(operation.success.status);
    },
  );
});

describe('every write that needs manage or operate', () => {
  it.each(rechecked.filter(isOpenToOperators))(
    '%s refuses a key that another node has just revoked or let expire, and changes nothing',
    async (id, operation) => {
      const { path, body } = await example(operation);
      const send = (key: string) =>
        app.call(operation.method, `/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
      const now = Date.now();
      const ends = {
        invalid_api_key: (tx: Transaction, key: string) => tx.keys.revoke(1, key, now),
        expired_api_key: (tx: Transaction, key: string) =>
          tx.keys.rotate(1, key, { at: now, expiresAt: now }),
      } as const;
      for (const [code, end] of Object.entries(ends)) {
        const key = await app.addKey(scopes);
        // This node has the key in its cache.
        expect((await app.call('GET', '/v1/plans', { key })).status).toBe(200);
        await app.transact((tx) => end(tx, key.slice(4, 16)));
        const answer = await send(key);
        expectError(answer, code as ErrorCode);
        expectDocumented(id, answer);
      }
      const answer = await send(app.key);
      expect(answer.status, answer.text).toBe(operation.success.status);
    },
  );
});

describe('every operation with a body', () => {
  it.each(onOne(withBody))(
    '%s refuses a field it does not know, and names it',
    async (id, operation) => {
      const { path, body } = await refusedExample(operation);
      for (const field of ['colour', 'workspaceId', 'createdAt']) {
        const wrong = { ...(body as object), [field]: 1 };
        const answer = await app.call(operation.method, `/v1${path}`, { body: wrong });
        expectError(answer, 'invalid_request');
        expectDocumented(id, answer);
        expect(answer.body.details).toEqual([{ field, message: 'is not a field of this request' }]);
      }
    },
  );

  it.each(withBody)('%s ignores an id in the body', async (_, operation) => {
    const request = await example(operation);
    const body = { id: 424_242, ...(request.body as object) };
    const answer = await sendExample(operation, { ...request, body }, {});
    expect(answer.status, answer.text).toBe(operation.success.status);
    expect(answer.body.id).not.toBe(424_242);
  });

  it.each(onOne(withBody))('%s refuses a body that is no JSON object', async (id, operation) => {
    const { path } = await refusedExample(operation);
    for (const body of ['[]', 'null', '1', '"text"', 'true']) {
      const answer = await app.call(operation.method, `/v1${path}`, { body });
      expectError(answer, 'invalid_request');
      expectDocumented(id, answer);
    }
    const broken = await app.call(operation.method, `/v1${path}`, { body: '{"name":' });
    expectError(broken, 'malformed_json');
    expectDocumented(id, broken);
  });

  it.each(onOne(withBody))('%s accepts JSON and no other type', async (id, operation) => {
    const { path } = await refusedExample(operation);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const options = { body: '{}', headers: { 'content-type': type } };
      const answer = await app.call(operation.method, `/v1${path}`, options);
      expectError(answer, 'unsupported_media_type');
      expectDocumented(id, answer);
    }
  });

  it.each(onOne(withBody))('%s accepts a merge patch only as a PATCH', async (_, operation) => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await send(operation, { headers });
    const { status } = operation.success;
    expect(answer.status).toBe(operation.method === 'PATCH' ? status : 415);
  });
});
