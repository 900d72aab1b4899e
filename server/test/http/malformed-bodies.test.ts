import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';
import { exchange } from '../support/raw-http.ts';

const LIMIT = 256 * 1024;
let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
});

interface Sent {
  headers?: Record<string, string>;
  path?: string;
  method?: string;
}

/** Sends exactly these bytes as a body, in one piece, with nothing added. */
async function sendBytes(body: string | Buffer, { headers, path, method }: Sent = {}) {
  const bytes = Buffer.from(body);
  const lines = {
    host: 'localhost',
    authorization: `Bearer ${app.key}`,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...headers,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const start = `${method ?? 'POST'} ${path ?? '/v1/pets'} HTTP/1.1\r\n${head.join('')}\r\n`;
  const { answers } = await exchange(app.address, Buffer.concat([Buffer.from(start), bytes]));
  expect(answers).toHaveLength(1);
  return answers[0]!;
}

async function countPets(): Promise<number> {
  return (await app.call('GET', '/v1/pets?limit=100')).body.length;
}

describe('a body that is not JSON', () => {
  it.each([
    ['cut short', '{"name":"Rex","categoryId":1'],
    ['followed by more', '{"name":"Rex","categoryId":1}{}'],
    ['single quotes', "{'name':'Rex','categoryId':1}"],
    ['a trailing comma', '{"name":"Rex","categoryId":1,}'],
    ['a comment', '{"name":"Rex",/* of category */"categoryId":1}'],
    ['NaN', '{"name":"Rex","categoryId":NaN}'],
    ['Infinity', '{"name":"Rex","categoryId":Infinity}'],
    ['a leading zero', '{"name":"Rex","categoryId":01}'],
    ['a leading plus', '{"name":"Rex","categoryId":+1}'],
    ['hexadecimal', '{"name":"Rex","categoryId":0x1}'],
    ['a bare control character in a text', '{"name":"R\nex","categoryId":1}'],
    ['a bare NUL in a text', '{"name":"R\0ex","categoryId":1}'],
    ['a broken escape', '{"name":"R\\x41","categoryId":1}'],
    ['only space', '   '],
    ['plain text', 'name=Rex'],
    ['a byte order mark', '\uFEFF{"name":"Rex","categoryId":1}'],
  ])('is malformed_json: %s', async (_, body) => {
    expectError(await sendBytes(body), 'malformed_json');
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half of a sequence', [0xe2, 0x82]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe9]],
  ])('is malformed_json when its UTF-8 is not valid: %s', async (_, bytes) => {
    const body = Buffer.concat([
      Buffer.from('{"name":"R'),
      Buffer.from(bytes),
      Buffer.from('x","categoryId":1}'),
    ]);
    expectError(await sendBytes(body), 'malformed_json');
  });

  it('is malformed_json in UTF-16, and 415 when it says so', async () => {
    const body = Buffer.from('{"name":"Rex","categoryId":1}', 'utf16le');
    expectError(await sendBytes(body), 'malformed_json');
    const headers = { 'content-type': 'application/json; charset=utf-16' };
    expectError(await sendBytes(body, { headers }), 'unsupported_media_type');
  });
});

describe('a body that says what no request may say', () => {
  it.each([
    ['a key twice', '{"name":"Rex","name":"Max","categoryId":1}', 'name'],
    ['a key twice, once escaped', '{"name":"Rex","n\\u0061me":"Max","categoryId":1}', 'name'],
    ['the id twice', '{"id":1,"id":2,"name":"Rex","categoryId":1}', 'id'],
    ['__proto__', '{"name":"Rex","categoryId":1,"__proto__":{"status":"sold"}}', '__proto__'],
    ['__proto__, escaped', '{"__pr\\u006fto__":{},"name":"Rex","categoryId":1}', '__proto__'],
    ['constructor', '{"name":"Rex","categoryId":1,"constructor":{}}', 'constructor'],
    ['prototype', '{"name":"Rex","categoryId":1,"prototype":{}}', 'prototype'],
    ['__proto__, deeper', '{"name":{"__proto__":{}},"categoryId":1}', '__proto__'],
    ['1e400', '{"name":"Rex","categoryId":1e400}', 'categoryId'],
    ['1e0', '{"name":"Rex","categoryId":1e0}', 'categoryId'],
    ['1.0', '{"name":"Rex","categoryId":1.0}', 'categoryId'],
    ['1.5', '{"name":"Rex","categoryId":1.5}', 'categoryId'],
    ['2^53', '{"name":"Rex","categoryId":9007199254740992}', 'categoryId'],
    ['2^53+1', '{"name":"Rex","categoryId":9007199254740993}', 'categoryId'],
    ['2^63', '{"name":"Rex","categoryId":9223372036854775808}', 'categoryId'],
    ['400 digits', `{"name":"Rex","categoryId":${'9'.repeat(400)}}`, 'categoryId'],
    ['a number as text', '{"name":"Rex","categoryId":"1"}', 'categoryId'],
    ['a number as boolean', '{"name":"Rex","categoryId":true}', 'categoryId'],
    ['a number in a list', '{"name":"Rex","categoryId":[1]}', 'categoryId'],
    ['null', '{"name":null,"categoryId":1}', 'name'],
    ['zero', '{"name":"Rex","categoryId":0}', 'categoryId'],
    ['minus one', '{"name":"Rex","categoryId":-1}', 'categoryId'],
    ['an escaped NUL', '{"name":"R\\u0000ex","categoryId":1}', 'name'],
    ['a lone high surrogate', '{"name":"R\\ud83dex","categoryId":1}', 'name'],
    ['a lone low surrogate', '{"name":"R\\ude00ex","categoryId":1}', 'name'],
    ['surrogates the wrong way round', '{"name":"\\ude00\\ud83d","categoryId":1}', 'name'],
    ['a lone surrogate in an unknown key', '{"\\ud83d":1,"name":"Rex","categoryId":1}', ''],
    ['a status in capitals', '{"name":"Rex","categoryId":1,"status":"Sold"}', 'status'],
    ['a field of the stock', '{"name":"Rex","categoryId":1,"quantity":7}', 'quantity'],
  ])('is refused and names the field: %s', async (_, body, field) => {
    const before = await countPets();
    const answer = await sendBytes(body);
    expectError(answer, 'invalid_request');
    if (field !== '') expect(answer.body.details[0].field).toBe(field);
    expect(await countPets()).toBe(before);
    expect(({} as Record<string, unknown>).status).toBeUndefined();
  });

  it('names every field at fault at once, each once', async () => {
    const answer = await sendBytes('{"name":"","status":"lost","colour":1}');
    const fields = answer.body.details.map(({ field }: { field: string }) => field);
    expect(fields.sort()).toEqual(['categoryId', 'colour', 'name', 'status']);
  });

  it('names no more than 50 of them, so that the answer is not larger than the body', async () => {
    const keys = Array.from({ length: 15_000 }, (_, n) => `"k${n}":1`);
    const text = `{${keys.join(',')}}`;
    const answer = await sendBytes(text);
    expectError(answer, 'invalid_request');
    expect(answer.body.details).toHaveLength(50);
    expect(answer.body.message).toContain('The details have 47 more.');
  });

  it('is refused where none is taken, and an empty object is taken for none', async () => {
    const { body: pet } = await app.call('POST', '/v1/pets', {
      body: { name: 'R', categoryId: 1 },
    });
    const sent = { method: 'DELETE', path: `/v1/pets/${pet.id}` };
    for (const [text, field] of [
      ['{"reason":"sold"}', 'reason'],
      ['[]', 'body'],
      ['null', 'body'],
    ]) {
      const answer = await sendBytes(text!, sent);
      expectError(answer, 'invalid_request');
      expect(answer.body.details[0].field).toBe(field);
    }
    expect((await app.call('GET', `/v1/pets/${pet.id}`)).status).toBe(200);
    expect((await sendBytes('{}', sent)).status).toBe(204);
  });

  it.each([33, 5_000, 100_000])('is refused when nested %i levels deep', async (depth) => {
    const deep = (open: string, close: string) => open.repeat(depth) + close.repeat(depth);
    expectError(await sendBytes(deep('[', ']')), 'invalid_request');
    const objects = `${'{"a":'.repeat(Math.min(depth, 40_000))}1${'}'.repeat(Math.min(depth, 40_000))}`;
    expectError(await sendBytes(objects), 'invalid_request');
  });

  it('answers any bytes at all with a 4xx in the Error shape, or takes them for a category', async () => {
    const texts = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc
        .record({ name: fc.string({ unit: 'binary', maxLength: 300 }) })
        .map((o) => JSON.stringify(o)),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const path = '/v1/categories';
        const answer = await app.call('POST', path, { body: text });
        if (answer.status === 201) {
          const sent = JSON.parse(text).name as string;
          expect(answer.body.name).toBe(sent.trim());
          const read = await app.call('GET', `${path}/${answer.body.id}`);
          expect(read.body).toEqual(answer.body);
        } else {
          expect([400, 409]).toContain(answer.status);
          expectError(answer, answer.body.code);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('the type of a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'Application/JSON',
  ])('is taken: %s', async (type) => {
    const answer = await sendBytes('{"name":"Rex","categoryId":1}', {
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(201);
  });

  it.each([
    'text/plain',
    'text/json',
    'application/json-patch+json',
    'application/vnd.api+json',
    'application/jsonx',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/merge-patch+json',
    'json',
    '/',
    'application/json, text/plain',
  ])('is refused: %s', async (type) => {
    const before = await countPets();
    const headers = { 'content-type': type };
    const answer = await sendBytes('{"name":"Rex","categoryId":1}', { headers });
    expectError(answer, 'unsupported_media_type');
    expect(answer.body.message).toBe(
      `Content-Type must be application/json, in UTF-8, and it is ${type}.`,
    );
    expect(await countPets()).toBe(before);
  });

  it('is refused when it is missing', async () => {
    const { answers } = await exchange(
      app.address,
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nX-API-Key: ${app.key}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expectError(answers[0]!, 'unsupported_media_type');
    expect(answers[0]!.body.message).toMatch(/^Content-Type must be .*, and there is none\.$/);
  });

  it('is refused with both types that a PATCH may have', async () => {
    const headers = { 'content-type': 'application/json-patch+json' };
    const answer = await app.call('PATCH', '/v1/pets/1', { body: '[]', headers });
    expectError(answer, 'unsupported_media_type');
    expect(answer.body.message).toContain(
      'must be application/json or application/merge-patch+json, in UTF-8,',
    );
  });

  it.each([
    ['cut', `text/${'x'.repeat(4_000)}`, `text/${'x'.repeat(95)}`],
    ['without markup', 'text/<script>alert(1)</script>', 'text/?script?alert?1?/script?'],
    ['without other bytes', 'text/plain; a="\xe9\x80\t%"', 'text/plain; a="?"'],
  ])('that is refused is repeated %s', async (_, type, shown) => {
    const headers = { 'content-type': type };
    const answer = await sendBytes('{}', { headers });
    expectError(answer, 'unsupported_media_type');
    expect(answer.body.message).toBe(
      `Content-Type must be application/json, in UTF-8, and it is ${shown}.`,
    );
  });

  it('is refused in any encoding, so that nothing is inflated', async () => {
    const body = gzipSync('{"name":"Rex","categoryId":1}');
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity', 'x-unknown']) {
      const headers = { 'content-encoding': encoding };
      expectError(await sendBytes(body, { headers }), 'unsupported_media_type');
    }
    const plain = { headers: { 'content-encoding': 'identity' } };
    expect((await sendBytes('{"name":"Rex","categoryId":1}', plain)).status).toBe(201);
  });
});

it('an encoding named by a request without a body does not matter', async () => {
  const headers = { 'content-encoding': 'gzip' };
  expect((await app.call('GET', '/v1/categories', { headers })).status).toBe(200);
});

describe('the size of a body', () => {
  const bodyOf = (bytes: number) => {
    const start = '{"name":"Big","description":"';
    return `${start}${'a'.repeat(bytes - start.length - 2)}"}`;
  };
  const path = '/v1/categories';
  it('is taken up to 256 KiB and refused beyond', async () => {
    const answer = await sendBytes(bodyOf(LIMIT), { path });
    expectError(answer, 'invalid_request');
    expect(answer.body.details[0].field).toBe('description');
    expectError(await sendBytes(bodyOf(LIMIT + 1), { path }), 'payload_too_large');
  });

  it('is refused before it is sent when Content-Length is too much', async () => {
    const start = `POST ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${app.key}\r\n`;
    const head = `${start}Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n`;
    const { answers, isClosed } = await exchange(app.address, head);
    expectError(answers[0]!, 'payload_too_large');
    expect(isClosed).toBe(true);
  });

  it('is enforced without a Content-Length', async () => {
    const send = async (bytes: number) => {
      const body = `${bytes.toString(16)}\r\n${bodyOf(bytes)}\r\n0\r\n\r\n`;
      const lines = `Host: a\r\nX-API-Key: ${app.key}\r\nContent-Type: application/json\r\n`;
      const start = `POST ${path} HTTP/1.1\r\n${lines}Transfer-Encoding: chunked\r\n\r\n`;
      return exchange(app.address, start + body);
    };
    expectError((await send(LIMIT)).answers[0]!, 'invalid_request');
    const { answers, isClosed } = await send(LIMIT + 1);
    expectError(answers[0]!, 'payload_too_large');
    expect(isClosed).toBe(true);
  });
});

describe('a body that is empty or not there', () => {
  it('is refused where one is needed', async () => {
    const answer = await sendBytes('');
    expectError(answer, 'invalid_request');
    expect(answer.body.details[0].field).toBe('body');
    const none = await app.call('POST', '/v1/pets');
    expectError(none, 'invalid_request');
  });

  it('does not matter where none is needed, even if a type is named', async () => {
    const { body: pet } = await app.call('POST', '/v1/pets', {
      body: { name: 'Rex', categoryId: 1 },
    });
    const answer = await sendBytes('', { method: 'DELETE', path: `/v1/pets/${pet.id}` });
    expect(answer.status).toBe(204);
  });

  it.each([
    ['POST', '/v1/pets', 400],
    ['PATCH', '/v1/pets/1', 400],
    ['DELETE', '/v1/pets/4711', 404],
    ['POST', '/v1/nothing', 404],
    ['PUT', '/v1/pets', 405],
    ['POST', '/', 405],
    ['GET', '/v1/categories', 200],
  ])('is not waited for: %s %s with a type and no length', async (method, path, status) => {
    const lines = `Host: a\r\nX-API-Key: ${app.key}\r\nContent-Type: application/json\r\n`;
    const request = `${method} ${path} HTTP/1.1\r\n${lines}\r\n`;
    const { answers } = await exchange(app.address, request + request);
    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
  });
});
