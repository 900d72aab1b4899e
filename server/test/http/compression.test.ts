import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodingFor } from '../../src/http/response/compression.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
/** Beyond 1 kB. */
const LONG = '/v1/pets?limit=100';
beforeAll(async () => {
  app = await testApp();
  const { body } = await app.call('POST', '/v1/categories', {
    body: { name: 'Dogs', description: `Caf\u00e9 ${'x'.repeat(1_500)}` },
  });
  expect(body.id).toBe(1);
  const pets = Array.from({ length: 60 }, (_, at) => ({ name: `Rex ${at}`, categoryId: 1 }));
  await app.call('POST', '/v1/pets/batch', { body: { pets } });
});

interface Raw {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/** A request whose response is not decoded. */
function fetchRaw(path: string, headers: Record<string, string> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const options = { headers: { authorization: `Bearer ${app.key}`, ...headers } };
    get(`${app.address}${path}`, options, async (res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of res) chunks.push(chunk as Buffer);
      const bytes = Buffer.concat(chunks);
      resolve({ status: res.statusCode!, headers: res.headers as Raw['headers'], bytes });
    }).on('error', reject);
  });
}

describe('a response above 1 kB', () => {
  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip, deflate', gunzipSync],
  ])('is compressed with %s for a client that accepts %s', async (encoding, accepted, decode) => {
    const plain = await fetchRaw(LONG);
    expect(plain.headers).toMatchObject({ vary: expect.stringContaining('accept-encoding') });
    expect(plain.headers['content-encoding']).toBeUndefined();
    // The second one comes from the read cache.
    for (let round = 0; round < 2; round++) {
      const { headers, bytes } = await fetchRaw(LONG, { 'accept-encoding': accepted });
      expect(headers['content-encoding']).toBe(encoding);
      expect(headers['content-length']).toBe(String(bytes.length));
      expect(headers.vary).toContain('accept-encoding');
      expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
      expect(decode(bytes)).toEqual(plain.bytes);
    }
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['gzip;q=0, *', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['GZIP', 'gzip'],
    ['gzip;q=high', undefined],
  ])('is encoded as Accept-Encoding says: %s is %s', (accepted, encoding) => {
    expect(encodingFor(accepted, 5_000)).toBe(encoding);
  });

  it('has an ETag of its own in each encoding, and each of them names the record', async () => {
    const path = '/v1/categories/1';
    const plain = await fetchRaw(path);
    const tags = [plain.headers.etag!];
    for (const encoding of ['br', 'gzip']) {
      const { headers } = await fetchRaw(path, { 'accept-encoding': encoding });
      expect(headers['content-encoding']).toBe(encoding);
      tags.push(headers.etag!);
      const etag = headers.etag!;
      for (const tag of [etag, plain.headers.etag!]) {
        const same = await fetchRaw(path, { 'accept-encoding': encoding, 'if-none-match': tag });
        expect([same.status, same.headers.etag, same.bytes.length]).toEqual([304, etag, 0]);
        expect(same.headers.vary).toContain('accept-encoding');
      }
    }
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) {
      const body = { name: 'Dogs' };
      const answer = await app.call('PATCH', path, { body, headers: { 'if-match': tag } });
      expect(answer.status).toBe(200);
    }
    const other = { body: { name: 'Hounds' }, headers: { 'if-match': `"${'a'.repeat(27)}-br"` } };
    expect((await app.call('PATCH', path, other)).status).toBe(412);
  });
});

describe('a response is not compressed', () => {
  it('up to 1 kB', async () => {
    const { headers } = await fetchRaw('/v1/pets?limit=1', { 'accept-encoding': 'br, gzip' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary ?? '').not.toContain('accept-encoding');
  });

  it('as a stream of events, whose events arrive at once', async () => {
    const path = '/v1/events/stream?after=0';
    const options = {
      headers: { authorization: `Bearer ${app.key}`, 'accept-encoding': 'br, gzip' },
    };
    await new Promise<void>((resolve, reject) => {
      const request = get(`${app.address}${path}`, options, (res) => {
        expect(res.headers['content-encoding']).toBeUndefined();
        res.once('data', (chunk: Buffer) => {
          expect(String(chunk)).toMatch(/^(retry|id|data|:)/);
          request.destroy();
          resolve();
        });
      }).on('error', reject);
    });
  });
});
