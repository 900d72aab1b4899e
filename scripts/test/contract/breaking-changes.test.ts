import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { contractOf, earlierContract } from '../../contract/breaking-changes.ts';
import { breakingChanges } from '../../contract/compare-operations.ts';
import type { Contract, Schema } from '../../contract/document.ts';

describe('a change of the contract', () => {
  it('is breaking when a response loses a field', () => {
    const after = contract();
    delete after.components.schemas.Pet.properties.name;
    after.components.schemas.Pet.required = ['id'];
    expect(breakingChanges(contract(), after)).toEqual(['GET /pets 200.name: removed']);
  });

  it('is breaking when a response loses a field that was optional', () => {
    const after = contract();
    delete after.components.schemas.Pet.properties.nickname;
    expect(breakingChanges(contract(), after)).toEqual(['GET /pets 200.nickname: removed']);
  });

  it('is breaking when an operation goes', () => {
    const after = contract();
    delete (after.paths as Record<string, unknown>)['/pets'];
    expect(breakingChanges(contract(), after)).toEqual([
      'GET /pets: removed, and not deprecated with a past sunset',
    ]);
  });

  it('is breaking when an operation is renamed, asks for more, or needs another scope', () => {
    const after = contract();
    after.paths['/pets'].get.operationId = 'findPets';
    after.paths['/pets'].get['x-scope'] = 'manage';
    after.paths['/pets'].get.parameters[0]!.required = true;
    expect(breakingChanges(contract(), after)).toEqual([
      'GET /pets operationId: was listPets, is findPets',
      'GET /pets x-scope: was read, is manage',
      'GET /pets query name: required now',
    ]);
  });

  it('is breaking when a way to send the key goes', () => {
    const after = contract();
    after.security = [{ bearer: [] }];
    expect(breakingChanges(contract(), after)).toEqual([
      'GET /pets security: {"apiKey":[]} is gone',
    ]);
  });

  it('is breaking when an open operation needs a key', () => {
    const before = contract();
    Object.assign(before.paths['/pets'].get, { security: [] });
    expect(breakingChanges(before, contract())).toEqual(['GET /pets security: needs a key now']);
  });

  it('may remove an operation after its sunset, and not before', () => {
    const after = contract();
    delete (after.paths as Record<string, unknown>)['/pets'];
    const ending = (sunset: string) => {
      const before = contract();
      Object.assign(before.paths['/pets'].get, { deprecated: true, 'x-sunset': sunset });
      return before;
    };
    expect(breakingChanges(ending('2020-01-01'), after)).toEqual([]);
    expect(breakingChanges(ending('9999-01-01'), after)).toHaveLength(1);
  });

  it('is free where the operation was experimental', () => {
    const gone = contract();
    delete (gone.paths as Record<string, unknown>)['/advice'];
    expect(breakingChanges(contract(), gone)).toEqual([]);
    const changed = contract();
    changed.paths['/advice'].get['x-scope'] = 'manage';
    changed.components.schemas.Advice.properties = {};
    changed.components.schemas.Advice.required = [];
    expect(breakingChanges(contract(), changed)).toEqual([]);
  });

  it('is breaking when an operation only now calls itself experimental', () => {
    const after = contract();
    after.paths['/pets'].get['x-stability'] = 'experimental';
    delete after.components.schemas.Pet.properties.name;
    after.components.schemas.Pet.required = ['id'];
    expect(breakingChanges(contract(), after)).toHaveLength(1);
  });

  it('passes when it only adds: a field, a parameter, an operation, an error code', () => {
    const after = contract();
    after.components.schemas.Pet.properties.age = { type: 'integer' };
    after.components.schemas.Error.properties.code['x-extensible-enum'].push('too_late');
    after.paths['/pets'].get.parameters.push({
      name: 'sort',
      in: 'query',
      required: false,
      schema: { type: 'string' },
    });
    const more = { ...after.paths['/pets'].get, operationId: 'listCats' };
    (after.paths as Record<string, unknown>)['/cats'] = { get: more };
    expect(breakingChanges(contract(), after)).toEqual([]);
  });

  it('passes when it adds a type of event, and not when it adds another value or shape', () => {
    const before = withEvents(['PetEvent'], ['pet.created'], ['red']);
    const events = withEvents(['PetEvent', 'CatEvent'], ['pet.created', 'cat.created'], ['red']);
    expect(breakingChanges(before, events)).toEqual([]);
    const others = withEvents(['PetEvent', 'Advice'], ['pet.created'], ['red', 'blue']);
    expect(breakingChanges(before, others)).toEqual([
      'GET /pets 200.event: oneOf gained #/components/schemas/Advice',
      'GET /pets 200.colour: the value "blue" is new',
    ]);
  });

  it('never passes because the document cannot be read', () => {
    const after = contract();
    after.paths['/pets'].get.responses[200].content['application/json'].schema = {
      $ref: '#/components/schemas/Nowhere',
    };
    expect(() => breakingChanges(contract(), after)).toThrow(
      'the contract does not define #/components/schemas/Nowhere',
    );
  });

  it('is read with its headers, statuses, media types and callbacks', () => {
    const before = contract();
    const after = contract();
    Object.assign(before.paths['/pets'].get, richOf({ type: 'string' }));
    Object.assign(after.paths['/pets'].get, richOf({ type: 'integer' }));
    expect(breakingChanges(before, after)).toEqual([
      'GET /pets body: type was "string", is "integer"',
      'GET /pets 200: type was "string", is "integer"',
      'GET /pets 200 ETag: type was "string", is "integer"',
      'GET /pets 202: type was "string", is "integer"',
      'GET /pets 400: type was "string", is "integer"',
      'GET /pets callback event: type was "string", is "integer"',
    ]);
    expect(breakingChanges(before, contract())).toEqual([
      'GET /pets body: removed',
      'GET /pets body: application/json removed',
      'GET /pets 200: type was "string", is "object"',
      'GET /pets 200 ETag: removed',
      'GET /pets 202: removed',
      'GET /pets 400: type was "string", is "object"',
      'GET /pets callback event: removed',
    ]);
  });
});

/** Each row: a schema, and one that clients of the first may be given instead, or not. */
describe.each<
  [name: string, before: Schema, after: Schema, inRequest: boolean, inResponse: boolean]
>([
  ['a description', {}, { description: 'More.', example: 1, 'x-note': 1 }, true, true],
  ['a type', { type: 'string' }, { type: 'integer' }, false, false],
  ['a format', { type: 'string' }, { type: 'string', format: 'date' }, false, false],
  ['a keyword without a rule', {}, { multipleOf: 2 }, false, false],
  ['a higher minimum', { minimum: 1 }, { minimum: 2 }, false, true],
  ['a first minimum', {}, { minimum: 2 }, false, true],
  ['a lower minimum', { minLength: 2 }, { minLength: 1 }, true, false],
  ['a higher maximum', { maxItems: 1 }, { maxItems: 2 }, true, false],
  ['no maximum any more', { maximum: 1 }, {}, true, false],
  ['a lower maximum', { maxLength: 2 }, { maxLength: 1 }, false, true],
  ['a new value', { enum: ['a'] }, { enum: ['a', 'b'] }, true, false],
  [
    'a new value of an open list',
    { enum: ['a'] },
    { enum: ['a', 'b'], 'x-extensible': true },
    true,
    true,
  ],
  ['a value less', { enum: ['a', 'b'] }, { enum: ['a'] }, false, true],
  ['a first list of values', {}, { enum: ['a'] }, false, true],
  ['no list of values any more', { enum: ['a'] }, {}, true, false],
  ['a first default', {}, { default: 20 }, true, false],
  ['another default', { default: 20 }, { default: 50 }, false, false],
  ['no default any more', { default: 20 }, {}, false, false],
  ['null', {}, { nullable: true }, true, false],
  ['no null any more', { nullable: true }, {}, false, true],
  ['a property', {}, { properties: { a: {} } }, true, true],
  ['a required property', {}, { properties: { a: {} }, required: ['a'] }, false, true],
  ['a property less', { properties: { a: {} } }, { properties: {} }, false, false],
  [
    'a property that became optional',
    { properties: { a: {} }, required: ['a'] },
    { properties: { a: {} } },
    true,
    false,
  ],
  [
    'a change deep inside',
    { items: { properties: { a: { maximum: 1 } } } },
    { items: { properties: { a: { maximum: 2 } } } },
    true,
    false,
  ],
  ['no items any more', { items: {} }, {}, false, false],
  ['other fields refused', {}, { additionalProperties: false }, false, true],
  ['other fields accepted', { additionalProperties: false }, {}, true, true],
  [
    'other values in a map',
    { additionalProperties: { maximum: 1 } },
    { additionalProperties: { maximum: 2 } },
    true,
    false,
  ],
  [
    'an alternative more',
    { oneOf: [{ type: 'a' }] },
    { oneOf: [{ type: 'b' }, { type: 'a' }] },
    true,
    false,
  ],
  [
    'an alternative less',
    { anyOf: [{ type: 'b' }, { type: 'a' }] },
    { anyOf: [{ type: 'a' }] },
    false,
    true,
  ],
  [
    'a changed alternative',
    { anyOf: [{ type: 'b' }, { maximum: 1 }] },
    { anyOf: [{ maximum: 2 }, { type: 'b' }] },
    true,
    false,
  ],
  [
    'a schema that contains itself',
    { $ref: '#/components/Loop' },
    { $ref: '#/components/Loop' },
    true,
    true,
  ],
])('%s', (_, before, after, inRequest, inResponse) => {
  it(`${inRequest ? 'may' : 'must not'} come into a request`, () => {
    const changes = breakingChanges(sent(before), sent(after));
    expect(changes.length).toBe(inRequest ? 0 : 1);
  });

  it(`${inResponse ? 'may' : 'must not'} come into a response`, () => {
    const changes = breakingChanges(received(before), received(after));
    expect(changes.length).toBe(inResponse ? 0 : 1);
  });
});

describe('the contract to compare with', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  it('is the committed one while the folder differs from it, else the one before', () => {
    const { root, write, commit } = repository();
    write('first');
    expect(earlierContract(root)).toBeUndefined();
    commit();
    expect(earlierContract(root)).toBeUndefined();
    write('second');
    expect(earlierContract(root)?.text).toBe('first');
    commit();
    expect(earlierContract(root)?.text).toBe('first');
    write('third');
    expect(earlierContract(root)?.text).toBe('second');
  });

  it('is also that of a named commit, if the clone has it', () => {
    const { root, write, commit } = repository();
    write('first');
    commit();
    write('second');
    commit();
    expect(contractOf(root, 'HEAD~1')?.text).toBe('first');
    expect(contractOf(root, '0123456789')).toBeUndefined();
  });

  it('is none outside a repository', () => {
    const { root, write } = repository({ hasGit: false });
    write('only');
    expect(earlierContract(root)).toBeUndefined();
    expect(contractOf(root, 'HEAD')).toBeUndefined();
  });

  function repository({ hasGit = true } = {}) {
    const root = mkdtempSync(join(tmpdir(), 'petstore-contract-'));
    folders.push(root);
    const identity = ['-c', 'user.name=check', '-c', 'user.email=check@example.com'];
    const git = (...args: string[]) =>
      execFileSync('git', [...identity, ...args], { cwd: root, stdio: 'ignore' });
    if (hasGit) git('init');
    mkdirSync(join(root, 'openapi'));
    return {
      root,
      write: (text: string) => writeFileSync(join(root, 'openapi/petstore.json'), text),
      commit: () => {
        git('add', '.');
        git('commit', '-m', 'contract');
      },
    };
  }
});

function contract() {
  const answer = (schema: string) => ({
    200: jsonOf('Fine.', schema),
    400: jsonOf('Refused.', 'Error'),
  });
  const operation = (
    operationId: string,
    schema: string,
    more: { 'x-stability'?: string } = {},
  ) => ({
    get: {
      operationId,
      'x-scope': 'read',
      ...more,
      parameters: [{ name: 'name', in: 'query', required: false, schema: { type: 'string' } }],
      responses: answer(schema),
    },
  });
  const text = (): { type: string } => ({ type: 'string' });
  const pet: Record<string, unknown> = { id: { type: 'integer' }, name: text(), nickname: text() };
  const advice: Record<string, unknown> = { plan: text() };
  return {
    openapi: '3.0.3',
    info: { title: 'A store', version: '1.0.0' },
    security: [{ bearer: [] }, { apiKey: [] }] as Record<string, never[]>[],
    paths: {
      '/pets': operation('listPets', 'Pet'),
      '/advice': operation('getAdvice', 'Advice', { 'x-stability': 'experimental' }),
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      schemas: {
        Pet: { type: 'object', required: ['id', 'name'], properties: pet },
        Advice: { type: 'object', required: ['plan'], properties: advice },
        Error: {
          type: 'object',
          required: ['code'],
          properties: { code: { type: 'string', 'x-extensible-enum': ['not_found'] } },
        },
      },
    },
  };
}

/** The parts of an operation that `contract` lacks, all with one schema. */
function richOf(schema: Schema) {
  const content = { 'application/json': { schema } };
  const responses = {
    200: { headers: { ETag: { schema } }, content },
    202: { content },
    400: { content },
  };
  const post = { requestBody: { content } };
  return { requestBody: { content }, responses, callbacks: { event: { '{$url}': { post } } } };
}

const components = { Loop: { properties: { more: { $ref: '#/components/Loop' } } } };

function sent(schema: Schema): Contract {
  const content = { 'application/json': { schema } };
  return { components, paths: { '/pets': { post: { requestBody: { content } } } } };
}

function received(schema: Schema): Contract {
  const content = { 'application/json': { schema } };
  return { components, paths: { '/pets': { get: { responses: { 200: { content } } } } } };
}

/** A contract whose pets show an event, a type of event and a colour. */
function withEvents(shapes: string[], types: string[], colours: string[]) {
  const made = contract();
  const schemas: Record<string, unknown> = made.components.schemas;
  for (const shape of shapes) schemas[shape] ??= { type: 'object', title: shape };
  const { properties } = made.components.schemas.Pet;
  properties.event = { oneOf: shapes.map((name) => ({ $ref: `#/components/schemas/${name}` })) };
  properties.type = { type: 'string', enum: types };
  properties.colour = { type: 'string', enum: colours };
  return made;
}

function jsonOf(description: string, schema: string) {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  return { description, content };
}
