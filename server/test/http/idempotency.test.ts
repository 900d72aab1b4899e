import { beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, type TestApp, testApp } from '../support/app.ts';
import { expectDocumentedHeaders, expectError } from '../support/contract.ts';

const HOUR_MS = 3_600_000;
let app: TestApp;
let categoryId: number;
let count = 0;

beforeAll(async () => {
  app = await testApp();
  categoryId = (await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } })).body.id;
});

const nextKey = () => `key-${count++}`;
const under = (key: string, options: CallOptions = {}): CallOptions => ({
  ...options,
  headers: { ...options.headers, 'idempotency-key': key },
});
const createPet = (key: string, name = 'Rex', options: CallOptions = {}) =>
  app.call('POST', '/v1/pets', under(key, { body: { name, categoryId }, ...options }));

describe('the same request under the same Idempotency-Key', () => {
  it('takes effect once and gives the stored status, body and headers again', async () => {
    const key = nextKey();
    const first = await createPet(key);
    const second = await createPet(key);
    expect(first.status).toBe(201);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    for (const name of ['etag', 'location', 'content-type']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it('gives the stored answer even when the record has changed or gone since', async () => {
    const key = nextKey();
    const first = await createPet(key);
    await app.call('DELETE', `/v1/pets/${first.body.id}`);
    expect((await createPet(key)).text).toBe(first.text);
    const deleteKey = nextKey();
    const { body: pet } = await createPet(nextKey());
    const gone = () => app.call('DELETE', `/v1/pets/${pet.id}`, under(deleteKey));
    expect((await gone()).status).toBe(204);
    const again = await gone();
    expect(again.status).toBe(204);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('takes effect once under twenty duplicates at the same time', async () => {
    const key = nextKey();
    const name = `Storm ${key}`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => createPet(key, name)));
    const fresh = answers.filter(
      ({ status, headers }) => status === 201 && !headers.has('idempotency-replayed'),
    );
    expect(fresh).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.text).toBe(fresh[0]!.text);
      else expectError(answer, 'idempotency_in_progress');
    }
    const found = await app.call('GET', `/v1/pets?name=${encodeURIComponent(name)}`);
    expect(found.body).toEqual([fresh[0]!.body]);
  });

  it('is replayed after a restart', async () => {
    const key = nextKey();
    const first = await createPet(key);
    await app.restart();
    const second = await createPet(key);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it('is replayed for 24 hours and takes effect anew after that', async () => {
    const key = nextKey();
    const first = await createPet(key);
    app.clock.advance(24 * HOUR_MS - 10_000);
    expect((await createPet(key)).text).toBe(first.text);
    app.clock.advance(10_000);
    const later = await createPet(key);
    expect(later.status).toBe(201);
    expect(later.headers.has('idempotency-replayed')).toBe(false);
    expect(later.body.id).not.toBe(first.body.id);
    expect((await createPet(key)).text).toBe(later.text);
  });

  it('is another matter in another workspace', async () => {
    const key = nextKey();
    const neighbour = await app.addWorkspace();
    const options = (owner?: string) =>
      under(key, { body: { name: `Kind ${key}` }, ...(owner ? { key: owner } : {}) });
    const mine = await app.call('POST', '/v1/categories', options());
    const theirs = await app.call('POST', '/v1/categories', options(neighbour));
    expect(theirs.status).toBe(201);
    expect(theirs.headers.has('idempotency-replayed')).toBe(false);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('is the same matter for another key of the same workspace', async () => {
    const key = nextKey();
    const first = await createPet(key);
    const colleague = await app.addKey(['write']);
    expect((await createPet(key, 'Rex', { key: colleague })).text).toBe(first.text);
  });

  it('does not concern reads', async () => {
    const key = nextKey();
    await createPet(key);
    const answer = await app.call('GET', '/v1/pets', under(key));
    expect(answer.status).toBe(200);
    expect(answer.headers.has('idempotency-replayed')).toBe(false);
  });
});

describe('another request under the same Idempotency-Key', () => {
  it.each([
    ['another body', { body: { name: 'Max' } }],
    ['the same JSON in other bytes', { body: '{"name": "Rex"}' }],
    ['another method', { method: 'DELETE', first: '{}' }],
    ['another path', { isElsewhere: true }],
  ])(
    'is 422 and takes no effect: %s',
    async (_, { method = 'PATCH', first: text, body, isElsewhere }: Difference) => {
      const key = nextKey();
      const [pet, other] = [(await createPet(nextKey())).body, (await createPet(nextKey())).body];
      const first = { body: text ?? '{"name":"Rex"}' };
      await app.call('PATCH', `/v1/pets/${pet.id}`, under(key, first));
      const path = `/v1/pets/${isElsewhere ? other.id : pet.id}`;
      const sent = { body: body ?? first.body };
      expectError(await app.call(method, path, under(key, sent)), 'idempotency_key_reused');
      expect((await app.call('GET', `/v1/pets/${pet.id}`)).body).toEqual(pet);
      const again = await app.call('PATCH', `/v1/pets/${pet.id}`, under(key, first));
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    },
  );

  interface Difference {
    method?: string;
    /** The body of the first request. */
    first?: string;
    body?: unknown;
    isElsewhere?: boolean;
  }
});

describe('a response of the operation itself', () => {
  it('is stored when it is 404, with the requestId it had', async () => {
    const key = nextKey();
    const path = '/v1/pets/424242';
    const first = await app.call('DELETE', path, under(key));
    const second = await app.call('DELETE', path, under(key));
    expectError(first, 'not_found');
    expect(second.status).toBe(404);
    expect(second.text).toBe(first.text);
    expect(second.body.requestId).toBe(first.headers.get('x-request-id'));
    expect(second.headers.get('x-request-id')).not.toBe(second.body.requestId);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expectDocumentedHeaders('deletePet', second);
  });

  it('is stored when it is 409, though nothing of the write is', async () => {
    const key = nextKey();
    const body = { name: `Taken ${key}` };
    const taken = await app.call('POST', '/v1/categories', { body });
    const first = await app.call('POST', '/v1/categories', under(key, { body }));
    expectError(first, 'category_name_taken');
    await app.call('DELETE', `/v1/categories/${taken.body.id}`);
    const second = await app.call('POST', '/v1/categories', under(key, { body }));
    expect(second.text).toBe(first.text);
    expectDocumentedHeaders('createCategory', second);
    const found = await app.call('GET', `/v1/categories?name=${encodeURIComponent(body.name)}`);
    expect(found.body).toEqual([]);
  });

  it('is stored when it is 412', async () => {
    const { body: pet } = await createPet(nextKey());
    const options = under(nextKey(), { body: { name: 'Max' }, headers: { 'if-match': '"stale"' } });
    const patch = () => app.call('PATCH', `/v1/pets/${pet.id}`, options);
    const first = await patch();
    expectError(first, 'precondition_failed');
    const second = await patch();
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expectDocumentedHeaders('updatePet', second);
  });
});

describe('an answer given before the operation ran', () => {
  it.each([
    ['400 for a field', 400, { body: { name: '' } }],
    ['400 for JSON', 400, { body: '{' }],
    ['400 for an unknown category', 400, { body: { name: 'Rex', categoryId: 424_242 } }],
    ['401', 401, { key: null }],
    ['401 for a wrong key', 401, { key: 'psk_wrong' }],
    ['406', 406, { headers: { accept: 'text/html' } }],
    ['413', 413, { body: `"${'a'.repeat(300_000)}"` }],
    ['415', 415, { headers: { 'content-type': 'text/plain' } }],
  ] as [string, number, CallOptions][])('is not stored: %s', async (_, status, options) => {
    const key = nextKey();
    expect((await createPet(key, 'Rex', options)).status).toBe(status);
    const answer = await createPet(key);
    expect(answer.status).toBe(201);
    expect(answer.headers.has('idempotency-replayed')).toBe(false);
  });

  it('is not stored: 403', async () => {
    const key = nextKey();
    const reader = await app.addKey(['read']);
    expectError(await createPet(key, 'Rex', { key: reader }), 'insufficient_scope');
    expect((await createPet(key)).status).toBe(201);
  });
});

describe('an Idempotency-Key', () => {
  it('has 1 to 255 characters', async () => {
    expect((await createPet('k')).status).toBe(201);
    expect((await createPet('!'.repeat(255))).status).toBe(201);
    expectError(await createPet('k'.repeat(256)), 'invalid_request');
    const empty = await createPet('');
    expectError(empty, 'invalid_request');
    expect(empty.body.details[0].field).toBe('Idempotency-Key');
  });

  it.each(['a b', 'a\tb', 'é', '\u0080'])('is visible ASCII: %j is refused', async (key) => {
    expectError(await createPet(key), 'invalid_request');
  });

  it('is case-sensitive', async () => {
    const first = await createPet('Capital');
    const second = await createPet('capital');
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });
});
