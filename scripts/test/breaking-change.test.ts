import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { breakingChanges, earlierContract } from '../breaking-changes.ts';

describe('a change of the contract', () => {
  it('is breaking when a response loses a field', async () => {
    const after = contract();
    delete after.components.schemas.Pet.properties.name;
    after.components.schemas.Pet.required = ['id'];
    expect(await breakingChanges(contract(), after)).toEqual([
      expect.stringMatching(/^GET \/pets removed the required property .*name/),
    ]);
  });

  it('is breaking when a response loses a field that was optional', async () => {
    const after = contract();
    delete after.components.schemas.Pet.properties.nickname;
    expect(await breakingChanges(contract(), after)).toEqual([
      expect.stringMatching(/^GET \/pets removed the optional property .*nickname/),
    ]);
  });

  it('is breaking when an operation goes', async () => {
    const after = contract();
    delete (after.paths as Record<string, unknown>)['/pets'];
    expect(await breakingChanges(contract(), after)).toEqual([
      expect.stringMatching(/^GET \/pets .*removed without deprecation/),
    ]);
  });

  it('is breaking when an operation is renamed, asks for more, or needs another scope', async () => {
    const after = contract();
    after.paths['/pets'].get.operationId = 'findPets';
    after.paths['/pets'].get['x-scope'] = 'manage';
    after.paths['/pets'].get.parameters[0]!.required = true;
    const changes = await breakingChanges(contract(), after);
    expect(changes).toHaveLength(3);
    expect(changes).toContainEqual(expect.stringContaining('[api-operation-id-removed]'));
    expect(changes).toContainEqual(expect.stringContaining('[request-parameter-became-required]'));
    expect(changes).toContain('GET /pets now needs the scope manage');
  });

  it('is breaking when a way to send the key goes', async () => {
    const after = contract();
    after.security = [{ bearer: [] }];
    expect(await breakingChanges(contract(), after)).toHaveLength(1);
  });

  it('is free where the operation was experimental', async () => {
    const gone = contract();
    delete (gone.paths as Record<string, unknown>)['/advice'];
    expect(await breakingChanges(contract(), gone)).toEqual([]);
    const changed = contract();
    changed.paths['/advice'].get['x-scope'] = 'manage';
    changed.components.schemas.Advice.properties = {};
    changed.components.schemas.Advice.required = [];
    expect(await breakingChanges(contract(), changed)).toEqual([]);
  });

  it('is breaking when an operation only now calls itself experimental', async () => {
    const after = contract();
    after.paths['/pets'].get['x-stability'] = 'experimental';
    delete after.components.schemas.Pet.properties.name;
    after.components.schemas.Pet.required = ['id'];
    expect(await breakingChanges(contract(), after)).toHaveLength(1);
  });

  it('passes when it only adds: a field, a parameter, an operation, an error code', async () => {
    const after = contract();
    after.components.schemas.Pet.properties.age = { type: 'integer' };
    after.components.schemas.Error.properties.code.enum.push('too_late');
    after.paths['/pets'].get.parameters.push({
      name: 'sort',
      in: 'query',
      required: false,
      schema: { type: 'string' },
    });
    const more = { ...after.paths['/pets'].get, operationId: 'listCats' };
    (after.paths as Record<string, unknown>)['/cats'] = { get: more };
    expect(await breakingChanges(contract(), after)).toEqual([]);
  });

  it('never passes because the document cannot be read', async () => {
    const after = contract();
    after.paths['/pets'].get.responses[200].content['application/json'].schema = {
      $ref: '#/components/schemas/Nowhere',
    };
    await expect(breakingChanges(contract(), after)).rejects.toThrow(/oasdiff failed.*Nowhere/);
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

  it('is none outside a repository', () => {
    const { root, write } = repository({ hasGit: false });
    write('only');
    expect(earlierContract(root)).toBeUndefined();
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
          properties: { code: { type: 'string', enum: ['not_found'] } },
        },
      },
    },
  };
}

function jsonOf(description: string, schema: string) {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  return { description, content };
}
