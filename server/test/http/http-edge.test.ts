// Requests that Node answers by itself, or lets through although two readers could understand them
// differently: each gets an answer in the Error shape, and the service goes on.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';
import { exchange, readAnswers } from '../support/raw-http.ts';

let app: TestApp;
let key: string;
const HOST = 'Host: localhost\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\n${HOST}${key}${headers}\r\n`;
const post = (headers: string, body: string) =>
  `POST /v1/categories HTTP/1.1\r\n${HOST}${key}${JSON_TYPE}${headers}\r\n${body}`;

beforeAll(async () => {
  app = await testApp();
  key = `Authorization: Bearer ${app.key}\r\n`;
});

afterEach(async () => {
  const { status, body } = await app.call('GET', '/v1/categories');
  expect(status).toBe(200);
  expect(body, 'nothing that was refused has been stored').toEqual([]);
});

/** One response, and then the connection is closed, since it is unclear where the next request begins. */
async function expectRefusedAndClosed(bytes: string, code: Parameters<typeof expectError>[1]) {
  const { answers, isClosed } = await exchange(app.address, bytes);
  expect(answers).toHaveLength(1);
  expectError(answers[0]!, code);
  expect(answers[0]!.headers['ratelimit-policy']).toMatch(/^"minute";q=\d+;w=60$/);
  expect(answers[0]!.headers.connection).toBe('close');
  expect(isClosed).toBe(true);
  return answers[0]!;
}

describe('a path that is almost that of an operation', () => {
  it.each([
    ['DELETE', '/v1/pets', 'GET, HEAD, POST'],
    ['DELETE', '/v1/%70ets', 'GET, HEAD, POST'],
    ['GET', '/v1/pets/batch', 'POST'],
    ['PUT', '/v1/pets/batch?x=1', 'POST'],
    ['PUT', '/v1/pets/1', 'GET, HEAD, PATCH, DELETE'],
  ])('%s %s is 405 with the methods of the path', async (method, path, allow) => {
    const answer = await app.call(method, path);
    expectError(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')!.split(', ').sort()).toEqual(allow.split(', ').sort());
  });

  it.each(['/v1//pets', '/v1/pets/1/', '/v1/petsx', '/v1', '/v1/', '/v1/Pets'])(
    'GET %s is not found',
    async (path) => {
      expectError(await app.call('GET', path), 'not_found');
    },
  );
});

describe('a request that is not plain HTTP/1.1', () => {
  const CHUNKED = 'Transfer-Encoding: chunked\r\n';
  const BODY = '{"name":"Dogs"}';
  const CHUNK = `f\r\n${BODY}\r\n0\r\n\r\n`;

  it.each([
    ['two Host headers', () => get('/v1/pets', HOST)],
    ['two different Host headers', () => get('/v1/pets', 'Host: evil\r\n')],
    ['no Host header', () => `GET /v1/pets HTTP/1.1\r\n${key}\r\n`],
    ['an empty Host header', () => `GET /v1/pets HTTP/1.1\r\nHost:\r\n${key}\r\n`],
    ['a Host header that is no host', () => `GET /v1/pets HTTP/1.1\r\nHost: a/b\r\n${key}\r\n`],
    ['HTTP/0.9', () => 'GET /v1/pets\r\n\r\n'],
    ['HTTP/2.0', () => `GET /v1/pets HTTP/2.0\r\n${HOST}${key}\r\n`],
    ['HTTP/1.2', () => `GET /v1/pets HTTP/1.2\r\n${HOST}${key}\r\n`],
    ['HTTP/2 with prior knowledge', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    ['a method that does not exist', () => `BREW /v1/pets HTTP/1.1\r\n${HOST}${key}\r\n`],
    ['the absolute form', () => get('http://evil/v1/pets')],
    ['the absolute form without a path', () => get('http://evil')],
    ['the asterisk form', () => `OPTIONS * HTTP/1.1\r\n${HOST}${key}\r\n`],
    ['a fragment', () => get('/v1/pets#top')],
    ['a space in the target', () => get('/v1/pets?name=a b')],
    ['bytes beyond ASCII in the target', () => get('/v1/pets?name=\xc3\xa9')],
    ['a folded header', () => get('/v1/pets', 'X-A: a\r\n b\r\n')],
    ['bare line feeds', () => `GET /v1/pets HTTP/1.1\n${HOST}${key}\n`],
    ['a bare carriage return', () => get('/v1/pets', 'X-A: a\rb\r\n')],
    ['a NUL in a header', () => get('/v1/pets', 'X-A: a\0b\r\n')],
    ['a space before the colon', () => get('/v1/pets', 'X-A : a\r\n')],
    ['Content-Length and Transfer-Encoding', () => post(`Content-Length: 5\r\n${CHUNKED}`, CHUNK)],
    ['Content-Length twice', () => post('Content-Length: 15\r\nContent-Length: 15\r\n', BODY)],
    ['two Content-Lengths', () => post('Content-Length: 15\r\nContent-Length: 5\r\n', BODY)],
    ['a list of Content-Lengths', () => post('Content-Length: 15, 15\r\n', BODY)],
    ['a Content-Length with a sign', () => post('Content-Length: +15\r\n', BODY)],
    ['a negative Content-Length', () => post('Content-Length: -1\r\n', BODY)],
    ['a hexadecimal Content-Length', () => post('Content-Length: 0xf\r\n', BODY)],
    ['an unknown Transfer-Encoding', () => post('Transfer-Encoding: xchunked\r\n', CHUNK)],
    ['chunked not last', () => post('Transfer-Encoding: chunked, identity\r\n', CHUNK)],
    ['chunked after gzip', () => post('Transfer-Encoding: gzip, chunked\r\n', CHUNK)],
    ['Transfer-Encoding twice', () => post(`${CHUNKED}${CHUNKED}`, CHUNK)],
    ['Transfer-Encoding with a space', () => post('Transfer-Encoding : chunked\r\n', CHUNK)],
    ['Transfer-Encoding after a tab', () => post('Transfer-Encoding:\x0bchunked\r\n', CHUNK)],
    ['Transfer-Encoding in HTTP/1.0', () => post(CHUNKED, CHUNK).replace('/1.1', '/1.0')],
    ['a chunk size that is no number', () => post(CHUNKED, `zz\r\n${BODY}\r\n0\r\n\r\n`)],
    ['a chunk size that overflows', () => post(CHUNKED, `${'f'.repeat(17)}\r\n${BODY}\r\n`)],
    ['a chunk longer than it says', () => post(CHUNKED, `1\r\n${BODY}\r\n0\r\n\r\n`)],
    ['two Authorization headers', () => get('/v1/pets', key)],
    ['two Idempotency-Keys', () => post('Idempotency-Key: a\r\nIdempotency-Key: a\r\n', '')],
    ['two Content-Types', () => post(`${JSON_TYPE}Content-Length: 15\r\n`, BODY)],
  ])('is 400 invalid_request: %s', async (_, request) => {
    await expectRefusedAndClosed(request(), 'invalid_request');
  });

  it.each(['/healthz', '/', '/docs', '/nowhere'])(
    'is refused whatever the path, with the numbers of its address: %s',
    async (path) => {
      await expectRefusedAndClosed(`GET ${path} HTTP/1.1\r\n\r\n`, 'invalid_request');
      await expectRefusedAndClosed(get(path, HOST), 'invalid_request');
      const many = Array.from({ length: 101 }, (__, i) => `X-${i}: a\r\n`).join('');
      await expectRefusedAndClosed(get(path, many), 'headers_too_large');
    },
  );

  it('is 400 when its path cannot be decoded', async () => {
    for (const path of ['/v1/pets/%zz', '/v1/pets/%ff', '/%c3%28', '/v1/%ed%a0%80']) {
      const { answers } = await exchange(app.address, get(path));
      expect(answers).toHaveLength(1);
      expectError(answers[0]!, 'invalid_request');
    }
  });

  it('counts for the address that it comes from', async () => {
    const remaining = async () =>
      Number(
        (await exchange(app.address, 'hello\r\n\r\n')).answers[0]!.headers['x-ratelimit-remaining'],
      );
    const first = await remaining();
    expect(await remaining()).toBe(first - 1);
  });
});

describe('a request head that is too large', () => {
  it.each([
    ['a header of 20 kB', () => get('/v1/pets', `X-Big: ${'a'.repeat(20_000)}\r\n`)],
    ['a target of 20 kB', () => get(`/v1/pets?name=${'a'.repeat(20_000)}`)],
    [
      '101 headers',
      () => get('/v1/pets', Array.from({ length: 99 }, (_, i) => `X-${i}: a\r\n`).join('')),
    ],
    ['3,000 headers', () => get('/v1/pets', 'a:b\r\n'.repeat(3_000))],
  ])('is 431 headers_too_large: %s', async (_, request) => {
    await expectRefusedAndClosed(request(), 'headers_too_large');
  });

  it('is taken with 100 headers', async () => {
    const headers = Array.from({ length: 98 }, (_, i) => `X-${i}: a\r\n`).join('');
    const { answers } = await exchange(app.address, get('/v1/pets', headers));
    expect(answers[0]!.status).toBe(200);
  });
});

describe('methods of no operation', () => {
  it('answers TRACE without echoing the request', async () => {
    const request = get('/v1/pets', 'X-Secret: canary\r\n').replace('GET', 'TRACE');
    const { answers } = await exchange(app.address, request);
    expectError(answers[0]!, 'method_not_allowed');
    expect(answers[0]!.headers.allow).toBe('GET, HEAD, POST');
    expect(JSON.stringify(answers)).not.toContain('canary');
  });

  it('answers CONNECT, and does not become a proxy', async () => {
    const request = `CONNECT localhost:22 HTTP/1.1\r\n${HOST}\r\n`;
    const answer = await expectRefusedAndClosed(request, 'method_not_allowed');
    expect(answer.headers.allow).toBe('GET, HEAD, POST, PATCH, DELETE');
  });

  it('answers CONNECT after the request before it', async () => {
    const write = post('Content-Length: 15\r\n', '{"name":"Cats"}');
    const connect = `CONNECT localhost:22 HTTP/1.1\r\n${HOST}\r\n`;
    const { answers, isClosed } = await exchange(app.address, write + connect);
    expect(answers.map(({ status }) => status)).toEqual([201, 405]);
    expect(isClosed).toBe(true);
    await app.call('DELETE', answers[0]!.headers.location!);
  });

  it('survives a client that resets its connection after CONNECT', async () => {
    const uncaught = vi.fn();
    process.on('uncaughtExceptionMonitor', uncaught);
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', uncaught));
    const { hostname, port } = new URL(app.address);
    const socket = connect(Number(port), hostname);
    socket.write(`${get('/v1/events/stream')}CONNECT localhost:22 HTTP/1.1\r\n${HOST}\r\n`);
    await once(socket, 'data');
    socket.resetAndDestroy();
    for (let i = 0; i < 3; i++) expect((await app.call('GET', '/healthz')).status).toBe(200);
    expect(uncaught).not.toHaveBeenCalled();
  });

  it.each(['QUERY', 'PROPFIND', 'LOCK', 'PURGE', 'M-SEARCH', 'LINK'])(
    'answers %s with the methods of the path',
    async (method) => {
      const { answers } = await exchange(app.address, get('/v1/pets').replace('GET', method));
      expectError(answers[0]!, 'method_not_allowed');
      expect(answers[0]!.headers.allow).toBe('GET, HEAD, POST');
    },
  );

  it('stays with HTTP/1.1 when an upgrade is offered', async () => {
    for (const protocol of ['websocket', 'h2c', 'TLS/1.2']) {
      const offer = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
      const { answers } = await exchange(app.address, get('/v1/pets', offer));
      expect(answers[0]!.status).toBe(200);
      expect(answers[0]!.headers.upgrade).toBeUndefined();
    }
  });
});

describe('an upgrade that is offered with a body', () => {
  it.each(['/v1/workspace', '/healthz'])(
    'ends the connection of POST %s, since Node drops what follows in the same read',
    async (path) => {
      const { hostname, port } = new URL(app.address);
      const socket = connect(Number(port), hostname);
      const reading = readAnswers(socket, { quietMs: 1_000 });
      const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n';
      const half = 'x'.repeat(500);
      socket.write(
        `POST ${path} HTTP/1.1\r\n${HOST}${key}${offer}Content-Length: 1000\r\n\r\n${half}`,
      );
      await isRead();
      socket.write(half + get('/v1/pets?limit=1'));
      const { answers, isClosed } = await reading;
      expect(answers.map(({ headers }) => headers.connection)).toEqual(['close']);
      expect(isClosed).toBe(true);
      socket.destroy();
    },
  );

  /** The first half has been read once requests that were sent after it are answered. */
  async function isRead(): Promise<void> {
    for (let i = 0; i < 3; i++) await app.call('GET', '/healthz');
  }
});

describe('expectations', () => {
  it('refuses one that it does not know, without reading the body', async () => {
    const request = post('Expect: tea\r\nContent-Length: 15\r\n', '');
    await expectRefusedAndClosed(request, 'expectation_failed');
  });

  it('says when to go on', async () => {
    const { hostname, port } = new URL(app.address);
    const socket = connect(Number(port), hostname);
    socket.write(post('Expect: 100-continue\r\nContent-Length: 2\r\n', ''));
    const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const reading = readAnswers(socket);
    socket.write('{}');
    expectError((await reading).answers[0]!, 'invalid_request');
    socket.destroy();
  });
});

describe('several requests on one connection', () => {
  it('answers them in order, and goes on after a refusal that leaves no doubt', async () => {
    const { answers } = await exchange(
      app.address,
      get('/v1/pets') + get('/v1/pets/abc') + get('/v1/nowhere') + get('/v1/pets?limit=1'),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 200]);
  });

  it('answers what came before a broken request, then the broken one, then closes', async () => {
    const { answers, isClosed } = await exchange(app.address, `${get('/v1/pets')}hello\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(isClosed).toBe(true);
    const expecting = get('/v1/pets', 'Expect: tea\r\n');
    const second = await exchange(app.address, get('/v1/pets') + expecting);
    expect(second.answers.map(({ status }) => status)).toEqual([200, 417]);
  });

  it('does not take what follows an ambiguous request for a request', async () => {
    const smuggled = get('/v1/pets?limit=1');
    const requests = [
      post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${smuggled}`),
      get('/v1/pets', HOST) + smuggled,
      post('Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${smuggled}`),
      get('http://evil/v1/pets') + smuggled,
    ];
    for (const request of requests) await expectRefusedAndClosed(request, 'invalid_request');
  });

  it('ignores the body of a GET', async () => {
    const body = get('/v1/nowhere');
    const first = get('/v1/pets', `Content-Length: ${body.length}\r\n`) + body;
    const { answers } = await exchange(app.address, first + get('/v1/pets'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('a client that is slow', () => {
  it('has 10 s for the head and 30 s for the whole request', () => {
    const { headersTimeout, requestTimeout } = app.server.server;
    expect([headersTimeout, requestTimeout]).toEqual([10_000, 30_000]);
  });

  describe('gets 408', () => {
    const lines: string[] = [];
    let hurried: TestApp;
    beforeAll(async () => {
      // The head is read in time even when the machine stalls, so the key is known.
      hurried = await testApp({
        parts: { timeouts: { headersMs: 5_000, requestMs: 5_000, checkEveryMs: 50 } },
        lines,
      });
    });

    it('in the Error shape, in the middle of the head', async () => {
      const hasty = await testApp({
        parts: { timeouts: { headersMs: 300, requestMs: 600, checkEveryMs: 50 } },
      });
      const { answers, isClosed } = await exchange(
        hasty.address,
        'GET /v1/pets HTTP/1.1\r\nHost: loc',
      );
      expect(answers).toHaveLength(1);
      expectError(answers[0]!, 'request_timeout');
      expect(isClosed).toBe(true);
    });

    it.each([
      ['a body with a length', 'Content-Length: 15\r\n\r\n{"name":'],
      ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\nf\r\n{"na'],
    ])('as one request with one id and the numbers of its key: %s', async (_, rest) => {
      const metricOf = async () =>
        (await hurried.call('GET', '/metrics')).text.match(/^petstore_requests_total.*4\d\d.*$/gm);
      const before = await metricOf();
      lines.length = 0;
      const head = `${HOST}Authorization: Bearer ${hurried.key}\r\n${JSON_TYPE}`;
      const request = `POST /v1/categories HTTP/1.1\r\n${head}${rest}`;
      const { answers, isClosed } = await exchange(hurried.address, request);
      expect(answers).toHaveLength(1);
      expectError(answers[0]!, 'request_timeout');
      expect(answers[0]!.headers['ratelimit-policy']).toContain('"day"');
      expect(isClosed).toBe(true);
      const after = await metricOf();
      expect(lines.map((line) => JSON.parse(line)).filter(({ status }) => status >= 400)).toEqual([
        expect.objectContaining({
          requestId: answers[0]!.headers['x-request-id'],
          method: 'POST',
          path: '/v1/categories',
          operation: 'createCategory',
          status: 408,
          code: 'request_timeout',
          keyId: hurried.key.slice(4, 16),
        }),
      ]);
      const added = (after ?? []).filter((line) => !before?.includes(line));
      expect(added).toEqual([expect.stringContaining('operation="createCategory",status="408"')]);
      expect((await hurried.call('GET', '/v1/categories')).body).toEqual([]);
    });
  });
});

it('logs a request whose body is not valid HTTP once', async () => {
  const lines: string[] = [];
  const logged = await testApp({ lines });
  const head = `${HOST}Authorization: Bearer ${logged.key}\r\n${JSON_TYPE}`;
  const rest = 'Transfer-Encoding: chunked\r\n\r\nzz\r\n';
  const { answers } = await exchange(
    logged.address,
    `POST /v1/categories HTTP/1.1\r\n${head}${rest}`,
  );
  await logged.stop();
  const refused = lines.map((line) => JSON.parse(line)).filter(({ status }) => status === 400);
  expect(refused.map(({ requestId }) => requestId)).toEqual([answers[0]!.headers['x-request-id']]);
});

describe('a client that goes away', () => {
  it('leaves nothing behind, wherever it stops', async () => {
    const request = post('Content-Length: 15\r\n', '{"name":"Dogs"}');
    const { hostname, port } = new URL(app.address);
    for (let length = 1; length < request.length; length += 7) {
      const socket = connect(Number(port), hostname);
      await new Promise((resolve) => socket.once('connect', resolve));
      await new Promise((resolve) => socket.write(request.slice(0, length), resolve));
      socket.resetAndDestroy();
    }
    expect((await app.call('GET', '/v1/categories')).body).toEqual([]);
  });
});
