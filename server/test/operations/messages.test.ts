// Messages say what happened, why, and what to do. Each row is a request and the message that its sender reads.

import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
let dogs: number;
let rex: number;
let held: number;
let order: number;
let complete: number;
let sold: number;

async function create(path: string, body: object): Promise<number> {
  const answer = await app.call('POST', `/v1${path}`, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
}

beforeAll(async () => {
  app = await testApp();
  dogs = await create('/categories', { name: 'Dogs' });
  rex = await create('/pets', { name: 'Rex', categoryId: dogs });
  held = await create('/pets', { name: 'Max', categoryId: dogs, status: 'pending' });
  await app.call('PATCH', `/v1/inventory/${rex}`, { body: { quantity: 3 } });
  order = await create('/store/orders', { petId: rex, quantity: 2 });
  sold = await create('/pets', { name: 'Kim', categoryId: dogs });
  complete = await create('/store/orders', { petId: sold, complete: true });
});

type Row = [
  request: () => string,
  body: unknown,
  message: () => string,
  headers?: Record<string, string>,
];

/** Sends `METHOD path` and expects the whole message. */
async function expectMessage([request, body, message, headers = {}]: Row): Promise<void> {
  const [method, path] = request().split(' ') as [string, string];
  const options = body === undefined ? { headers } : { body, headers };
  const answer = await app.call(method, `/v1${path}`, options);
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
  expect(answer.body.message).toBe(message());
}

const named = (rows: Record<string, Row>) => Object.entries(rows);

describe('a 404', () => {
  it.each(
    named({
      order: [() => 'GET /store/orders/99', undefined, () => 'No order 99 in this workspace.'],
      pet: [() => 'GET /pets/99', undefined, () => 'No pet 99 in this workspace.'],
      stock: [() => 'GET /inventory/99', undefined, () => 'No pet 99 in this workspace.'],
      category: [
        () => 'DELETE /categories/99',
        undefined,
        () => 'No category 99 in this workspace.',
      ],
      'an id above 2^53': [
        () => 'GET /pets/9007199254740993',
        undefined,
        () => 'No pet 9007199254740993 in this workspace.',
      ],
      'a key': [
        () => 'DELETE /keys/AAAAAAAAAAAA',
        undefined,
        () => 'No key AAAAAAAAAAAA in this workspace.',
      ],
      'a malformed key id': [
        () => 'DELETE /keys/x',
        undefined,
        () => 'No key with this id in this workspace.',
      ],
      'a workspace': [() => 'GET /admin/workspaces/99', undefined, () => 'No workspace 99.'],
      'a workspace above 2^53': [
        () => 'GET /admin/workspaces/9007199254740993',
        undefined,
        () => 'No workspace 9007199254740993.',
      ],
      'a ban': [
        () => 'DELETE /admin/bans/AAAAAAAAAAAA',
        undefined,
        () => 'Key AAAAAAAAAAAA is not banned.',
      ],
      'a ban of a malformed key id': [
        () => 'DELETE /admin/bans/zz',
        undefined,
        () => 'No key with this id.',
      ],
    }),
  )('names what is missing: %s', (_, row) => expectMessage(row));

  it.each([
    ['/pet', '/v1/pets'],
    ['/Pets/7', '/v1/pets/7'],
    ['/store/order/2', '/v1/store/orders/2'],
    ['/orders', '/v1/store/orders'],
    ['/categorys', '/v1/categories'],
    ['/pets/batch/', '/v1/pets/batch'],
    ['/PETS', '/v1/pets'],
  ])('of the unknown path %s suggests %s', async (path, nearest) => {
    const message = `There is nothing at this path. The nearest path is ${nearest}.`;
    await expectMessage([() => `GET ${path}`, undefined, () => message]);
  });

  it.each(['/', '/wombats', `/${'pets/'.repeat(1_000)}`])('of %s suggests nothing', (path) =>
    expectMessage([() => `GET ${path}`, undefined, () => 'There is nothing at this path.']),
  );
});

describe('a conflict names the record, the number and the remedy', () => {
  it.each(
    named({
      pet_on_hold: [
        () => 'POST /store/orders',
        () => ({ petId: held }),
        () => `Pet ${held} is on hold and cannot be ordered. Set its status to available first.`,
      ],
      insufficient_stock: [
        () => 'POST /store/orders',
        () => ({ petId: rex, quantity: 5 }),
        () => `Pet ${rex} has 1 unit available, not 5. Restock it, or reduce the quantity by 4.`,
      ],
      'insufficient_stock without any': [
        () => 'POST /store/orders',
        () => ({ petId: sold }),
        () => `Pet ${sold} has 0 units available, not 1. Restock it first.`,
      ],
      invalid_status_change: [
        () => `PATCH /pets/${sold}`,
        { status: 'pending' },
        () => `Pet ${sold} is sold and cannot become pending. Restock it first.`,
      ],
      category_in_use: [
        () => `DELETE /categories/${dogs}`,
        undefined,
        () =>
          `Category ${dogs} still has pets. Move or delete them first; GET /v1/pets?categoryId=${dogs} lists them.`,
      ],
      category_name_taken: [
        () => 'POST /categories',
        { name: 'DOGS' },
        () =>
          'A category named "DOGS" exists already. Choose another name; names that differ only in case are the same.',
      ],
      below_reserved: [
        () => `PATCH /inventory/${rex}`,
        { quantity: 1 },
        () =>
          `Pet ${rex} has 2 units in open orders, so its stock cannot be 1. Cancel orders first, or set at least 2.`,
      ],
      'below_reserved without orders': [
        () => `POST /inventory/${held}/adjustments`,
        { delta: -2, reason: 'lost' },
        () => `Pet ${held} has a stock of 1 unit. Remove at most 1.`,
      ],
      pet_has_open_orders: [
        () => `DELETE /pets/${rex}`,
        undefined,
        () => `Pet ${rex} has 2 units in open orders. Complete or cancel them first.`,
      ],
      order_complete: [
        () => `DELETE /store/orders/${complete}`,
        undefined,
        () => `Order ${complete} is complete and can no longer change. Place a new order.`,
      ],
      method_not_allowed: [
        () => 'PUT /pets',
        undefined,
        () => 'This path does not accept PUT. Use GET, HEAD or POST.',
      ],
      'an ETag without quotes': [
        () => `PATCH /store/orders/${order}`,
        {},
        () =>
          'If-Match names no ETag. An ETag is in double quotes, as the ETag header has it: If-Match: "abc".',
        { 'If-Match': 'abc' },
      ],
    }),
  )('%s', (_, [request, body, ...rest]) =>
    expectMessage([request, typeof body === 'function' ? body() : body, ...rest]),
  );
});

describe('a 400 says what is wrong, one sentence per field', () => {
  const pet = { name: 'Rex', categoryId: 1 };
  it.each<[request: string, body: unknown, message: string]>([
    ['POST /pets', {}, 'name is required. categoryId is required.'],
    ['POST /pets', { ...pet, name: '' }, 'name must not be empty.'],
    ['POST /pets', { ...pet, name: ' \u3000' }, 'name must not be empty.'],
    ['POST /pets', { ...pet, name: 'a\u0007' }, 'name must not contain control characters.'],
    ['POST /pets', { ...pet, name: 'a'.repeat(201) }, 'name must have at most 200 characters.'],
    ['POST /pets', { ...pet, name: 7 }, 'name must be a string.'],
    ['POST /pets', { ...pet, categoryId: '1' }, 'categoryId must be an integer.'],
    ['POST /pets', { ...pet, categoryId: 0 }, 'categoryId must be at least 1.'],
    ['POST /pets', { ...pet, status: 'x' }, 'status must be one of available, pending, sold.'],
    ['PATCH /pets/1', { status: 'x' }, 'status must be one of available, pending, sold.'],
    ['PATCH /pets/1', { status: 1 }, 'status must be a string.'],
    ['POST /pets', { ...pet, colour: 'red' }, 'colour is not a field of this request.'],
    ['POST /pets', [], 'body must be a JSON object.'],
    ['POST /pets/batch', { pets: [] }, 'pets must not be empty.'],
    ['POST /store/orders', { petId: 1, complete: 'no' }, 'complete must be true or false.'],
    ['POST /keys', { name: 'k', scopes: ['read', 'read'] }, 'scopes must not repeat "read".'],
    ['POST /keys', { name: 'k', scopes: [] }, 'scopes must not be empty.'],
    ['POST /keys', { name: 'k', scopes: 'read' }, 'scopes must be a list.'],
    ['POST /webhooks', { url: '' }, 'url must not be empty.'],
    ['POST /webhooks', { url: ' \u3000' }, 'url must not be blank.'],
    ['POST /webhooks', { url: 'https://a.example/b c' }, 'url must not contain whitespace.'],
    ['POST /webhooks', { url: 'https://a.example/\t' }, 'url must not contain control characters.'],
    [
      'POST /inventory/1/adjustments',
      { delta: 0, reason: 'a\nb' },
      'delta must not be 0. reason must not contain control characters.',
    ],
    [
      'POST /categories',
      { name: 'C', description: '\u0000' },
      'description must not contain control characters.',
    ],
    [
      'POST /pets',
      { a: 1, b: 1, c: 1, d: 1, ...pet },
      'a is not a field of this request. b is not a field of this request. c is not a field of this request. The details have 1 more.',
    ],
    [
      'POST /pets',
      '{"name":"a",}',
      'The body is not valid JSON: line 1, column 13: expected a property name in double quotes.',
    ],
    [
      'POST /pets',
      '\uFEFF{"name":"a"}',
      'The body is not valid JSON: it begins with a byte order mark, which JSON has not.',
    ],
    ['POST /pets', { ...pet, '': 1 }, '"" is not a field of this request.'],
    [
      'POST /pets',
      { ...pet, metadata: { '': 'x' } },
      'metadata."" is no key: use 1 to 40 letters, digits, "_", "." or "-".',
    ],
    ['GET /pets?=1', undefined, '"" is not a parameter of this operation.'],
    [
      'GET /pets?id=1,2,3',
      undefined,
      'id must be one id; repeat the parameter for more: id=1&id=2.',
    ],
    [
      'GET /store/orders?shipDateFrom=2026-01-01T00:00:00+02:00',
      undefined,
      'shipDateFrom must be an RFC 3339 date-time with offset, like 2026-01-31T09:00:00Z; write the + of its offset as %2B.',
    ],
    [
      'GET /store/orders?shipDateFrom=2026-01-01+00:00:00Z',
      undefined,
      'shipDateFrom must be an RFC 3339 date-time with offset, like 2026-01-31T09:00:00Z.',
    ],
    [
      'GET /pets/',
      undefined,
      'petId must not be empty; for the list, leave out the slash at the end of the path.',
    ],
  ])('%s %j', (request, body, message) => expectMessage([() => request, body, () => message]));
});

it('a 400 cuts a long name', async () => {
  const name = 'q'.repeat(5_000);
  const body = await app.call('POST', '/v1/categories', { body: { name: 'a', [name]: 1 } });
  const query = await app.call('GET', `/v1/pets?${name}=1`);
  const cut = `${'q'.repeat(200)}…`;
  expect(body.body.message).toBe(`${cut} is not a field of this request.`);
  expect(query.body.message).toBe(`${cut} is not a parameter of this operation.`);
});

describe('a 401 says how to send the key', () => {
  const HOW = 'Send the key as `Authorization: Bearer <API_KEY>`.';
  it.each([
    ['Basic dXNlcjpwYXNz', `Authorization has the scheme Basic. ${HOW}`],
    ['psk_123', `Authorization has no scheme. ${HOW}`],
    ['Bearer', `The Bearer token is empty or has spaces in it. ${HOW}`],
    ['Bearer a b', `The Bearer token is empty or has spaces in it. ${HOW}`],
  ])('instead of %s', async (authorization, message) => {
    const answer = await app.call('GET', '/v1/pets', { key: null, headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(answer.body.message).toBe(message);
  });
});
