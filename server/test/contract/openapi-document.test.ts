import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { errorCodesOf } from '../../src/contract/responses.ts';
import { errorCodes, errorTable } from '../../src/domain/errors.ts';
import { operations } from '../../src/operations/operations.ts';
import { type TestApp, testApp } from '../support/app.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is held against what the test names.
type Json = any;

let app: TestApp;
let document: Json;
beforeAll(async () => {
  app = await testApp();
  document = (await app.call('GET', '/openapi.json', { key: null })).body;
});

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.0.3 of interface version 1.0.0, as JSON and as YAML', async () => {
    expect(document).toMatchObject({ openapi: '3.0.3', info: { version: '1.0.0' } });
    const yaml = await app.call('GET', '/openapi.yaml', { key: null });
    expect(yaml.headers.get('content-type')).toMatch(/^application\/yaml/);
    expect(parse(yaml.text)).toEqual(document);
    // Readers of YAML 1.1 take a plain date for a time, and a plain `on` for true.
    expect(parse(yaml.text, { version: '1.1' })).toEqual(document);
    expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(operations))));
  });

  it('says the defaults of parameters that do not depend on others', () => {
    const defaultOf = (path: string, name: string, method = 'get') =>
      document.paths[path][method].parameters.find((each: Json) => each.name === name).schema
        .default;
    expect(defaultOf('/store/orders', 'limit')).toBe(20);
    expect(defaultOf('/store/orders', 'sort')).toBe('id');
    expect(defaultOf('/movements', 'sort')).toBe('-id');
    expect(defaultOf('/store/orders', 'dryRun', 'post')).toBe(false);
    expect(defaultOf('/events', 'limit')).toBe(100);
    expect(defaultOf('/usage/minutes', 'minutes')).toBe(60);
    expect(defaultOf('/keys', 'sessions')).toBe('all');
    // With `id` it is another one.
    expect(defaultOf('/pets', 'limit')).toBeUndefined();
    // Every parameter whose text names a constant has it.
    for (const methods of Object.values<Json>(document.paths)) {
      for (const { parameters } of Object.values<Json>(methods)) {
        for (const { description, schema } of parameters) {
          const isConstant = / if absent(?!, or)/.test(description);
          if (isConstant) expect(schema.default, description).toBeDefined();
        }
      }
    }
  });

  it('is served as OpenAPI 3.1 too, with webhooks and with null among the types', async () => {
    const later: Json = (await app.call('GET', '/openapi-3.1.json', { key: null })).body;
    expect(later.openapi).toBe('3.1.0');
    expect(Object.keys(later.webhooks)).toEqual(['event', 'batch', 'ping']);
    expect(later).not.toHaveProperty('x-webhooks');
    expect(later.webhooks.event.post).toEqual(document['x-webhooks'].event.post);
    expect(Object.keys(later.paths)).toEqual(Object.keys(document.paths));
    expect(JSON.stringify(later)).not.toContain('"nullable"');
    const { description } = later.components.schemas.CategoryPatch.properties;
    expect(description.type).toEqual(['string', 'null']);
    expect(document.components.schemas.CategoryPatch.properties.description.nullable).toBe(true);
  });

  it('allows no field in a response that its schema does not list, so that tests find one that leaks', () => {
    const open = operations.flatMap(({ id, success }) =>
      'schema' in success && !ofEvents.has(success.kind) ? openObjectsIn(success.schema, id) : [],
    );
    expect(open).toEqual([]);
    expect(openObjectsIn({ type: 'object', properties: {} }, 'example')).toEqual(['example']);
  });

  it('lists exactly the operations, each once', () => {
    const listed = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, { operationId }]) => [operationId, method, path]),
    );
    const declared = operations.map(({ id, method, path }) => [id, method.toLowerCase(), path]);
    expect(listed.sort()).toEqual(declared.sort());
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  it('lists exactly the addresses that the router knows under /v1', () => {
    const known = routesOf(app.server.printRoutes({ commonPrefix: false }));
    const listed = Object.keys(document.paths).map((path) => `/v1${path}`);
    expect(known.filter((path) => path.startsWith('/v1')).sort()).toEqual(listed.sort());
  });

  it('keeps the nine operations of version 1.0.0 where they were', () => {
    const at = (path: string, method: string) => document.paths[path]?.[method]?.operationId;
    expect(at('/pets', 'get')).toBe('listPets');
    expect(at('/pets', 'post')).toBe('createPet');
    expect(at('/pets/{petId}', 'get')).toBe('getPet');
    expect(at('/categories', 'get')).toBe('listCategories');
    expect(at('/categories', 'post')).toBe('createCategory');
    expect(at('/inventory', 'get')).toBe('listInventory');
    expect(at('/inventory/{petId}', 'patch')).toBe('updateInventory');
    expect(at('/store/orders', 'get')).toBe('listOrders');
    expect(at('/store/orders/{orderId}', 'delete')).toBe('cancelOrder');
  });

  it('marks what is deprecated, experimental or beta, and nothing as stable', () => {
    expect(document.paths['/pets/{petId}'].get).toMatchObject({
      deprecated: true,
      'x-deprecated-sunset': '2030-12-05',
      'x-sunset': '2030-12-05',
    });
    const marks = Object.values<Json>(document.paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .filter((operation) => 'x-stability' in operation)
      .map((operation) => [operation.operationId, operation['x-stability']]);
    expect(Object.fromEntries(marks)).toMatchObject({
      updateInventory: 'experimental',
      cancelOrder: 'beta',
      getUsageAdvice: 'experimental',
    });
    for (const [, mark] of marks) expect(['beta', 'experimental']).toContain(mark);
  });

  it('groups the tags', () => {
    const parents = document.tags
      .filter((tag: Json) => 'x-parent' in tag)
      .map((tag: Json) => [tag.name, tag['x-parent']]);
    expect(Object.fromEntries(parents)).toEqual({
      animals: 'Pets',
      categories: 'Pets',
      inventory: 'Store',
      orders: 'Store',
      workspace: 'Account',
      keys: 'Account',
      session: 'Account',
      usage: 'Account',
      audit: 'Account',
      requests: 'Account',
      admin: 'Account',
      events: 'Events',
      webhooks: 'Events',
    });
    expect(document['x-tagGroups'].map(({ name }: Json) => name)).toEqual([
      'Pets',
      'Store',
      'Account',
      'Events',
    ]);
  });

  it('has the fields of the specification, required as it says', () => {
    const { schemas } = document.components;
    const required = (name: string) => [...(schemas[name].required ?? [])].sort();
    expect(schemas.PetStatus.enum).toEqual(['available', 'pending', 'sold']);
    expect(required('NewPet')).toEqual(['categoryId', 'name']);
    expect(required('NewCategory')).toEqual(['name']);
    expect(required('Category')).toEqual(['id', 'name']);
    expect(required('Order')).toEqual([]);
    expect(Object.keys(schemas.Order.properties).sort()).toEqual(
      [
        ...[
          'complete',
          'createdAt',
          'customer',
          'endReason',
          'endedAt',
          'expiresAt',
          'id',
          'metadata',
        ],
        ...['note', 'petId', 'quantity', 'reference', 'shipDate', 'state'],
      ].sort(),
    );
    expect(required('InventoryItem')).toEqual(
      expect.arrayContaining(['petId', 'quantity', 'status']),
    );
    expect(required('InventoryUpdate')).toEqual(['quantity']);
    expect(required('Error')).toEqual(expect.arrayContaining(['code', 'message', 'status']));
    expect(schemas.Pets).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
    expect(schemas.Pet.properties.id.format).toBe('int64');
    expect(schemas.Error.properties.code['x-extensible-enum']).toEqual(errorCodes);
  });

  it('gives an example of every response that its own schemas accept', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'document');
    for (const [path, methods] of Object.entries<Json>(document.paths)) {
      for (const { operationId, responses } of Object.values<Json>(methods)) {
        for (const [status, { content }] of Object.entries<Json>(responses)) {
          const media = content?.['application/json'];
          // The errors have theirs in the shared responses.
          if (!media || Number(status) >= 400) continue;
          const isValid = ajv.compile(rebased(media.schema));
          const where = `${operationId} ${path} ${status}`;
          expect(media, where).toHaveProperty('example');
          expect(isValid(media.example), `${where}: ${ajv.errorsText(isValid.errors)}`).toBe(true);
        }
      }
    }
  });
});

it('shows every error code with an example, and real details where there are any', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const isError = ajv.compile({ $ref: 'document#/components/schemas/Error' });
  const shown = new Map<string, Json>();
  for (const { content } of Object.values<Json>(document.components.responses)) {
    for (const [code, { value }] of Object.entries<Json>(content['application/json'].examples)) {
      expect(isError(value), `${code}: ${ajv.errorsText(isError.errors)}`).toBe(true);
      shown.set(code, value);
    }
  }
  const documented = new Set(operations.flatMap(errorCodesOf));
  expect([...shown.keys()].sort()).toEqual([...documented].sort());
  for (const code of documented) expect(shown.get(code)!.status).toBe(errorTable[code].status);
  expect(shown.get('insufficient_stock')).toMatchObject({
    message: expect.stringContaining('Pet 1 has 1 unit available'),
    details: { available: 1 },
  });
  expect(shown.get('invalid_request')!.details).toEqual([
    { field: 'name', message: 'is required' },
  ]);
});

function rebased(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
}

/** The router draws a tree, an indentation of four characters for each level. */
function routesOf(tree: string): string[] {
  const branch: string[] = [];
  const routes: string[] = [];
  for (const line of tree.split('\n')) {
    const match = /^([│ ]*)[├└]── (\S*)(.*)$/.exec(line);
    if (!match) continue;
    const [, indent = '', part = '', methods = ''] = match;
    branch.length = indent.length / 4;
    branch.push(part);
    const path = branch.join('').replace(/:(\w+)/g, '{$1}');
    if (methods.includes('(')) routes.push(path);
  }
  return [...new Set(routes)];
}

/** New types of events may have new fields. */
const ofEvents = new Set(['event', 'feed', 'stream']);

/** The places of objects whose schema allows fields that it does not list. */
function openObjectsIn(schema: Json, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  // The fields of metadata are named by clients, and each is a text.
  const isMetadata = schema.title === 'Metadata' && schema.additionalProperties.type === 'string';
  const isOpen = schema.type === 'object' && schema.additionalProperties !== false && !isMetadata;
  const inside = Object.entries(schema).flatMap(([key, part]) =>
    openObjectsIn(part, `${at}/${key}`),
  );
  return isOpen ? [at, ...inside] : inside;
}
