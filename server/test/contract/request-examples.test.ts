import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/operations.ts';
import { exampleRequests, World } from '../operations/example-requests.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { contract, expectDocumented } from '../support/contract.ts';

const withBody = operations
  .filter(({ body }) => body !== undefined)
  .map((operation) => [operation.id, operation] as const);

interface Documented {
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  parameters: { name: string; in: string; example?: unknown }[];
}

function documented(path: string, method: string): Documented {
  return contract.paths[path]![method.toLowerCase()] as unknown as Documented;
}

/** What an example cannot name: a name that is still free, a host that name servers know here. */
const ownValues: Record<string, object> = {
  createCategory: { name: 'Dogs' },
  createWebhook: { url: 'http://127.0.0.1:9/hooks' },
};

describe('the request example', () => {
  let app: TestApp;
  let world: World;

  // The examples name category 1 and pet 1.
  beforeAll(async () => {
    app = await testApp({ environment: { PETSTORE_SIGNUP: 'open' } });
    world = new World(app, app.key);
    expect(await world.pet()).toBe(1);
    await app.call('PATCH', '/v1/inventory/1', { body: { quantity: 100 } });
  });

  const state = async () => {
    const paths = ['/workspace', '/store/orders/1', '/admin/workspaces/1'];
    const answers = paths.map((path) => app.call('GET', `/v1${path}`));
    return (await Promise.all(answers)).map(({ text }) => text);
  };

  it.each(withBody)('of %s works as it stands', async (id, operation) => {
    const { path, body, options } = await exampleRequests[id]!(world);
    const named = /close/i.test(id) ? { name: (body as { name: string }).name } : {};
    const { content } = documented(operation.path, operation.method).requestBody!;
    for (const [type, { example }] of Object.entries(content)) {
      expect(example).toBeDefined();
      const answer = await app.call(operation.method, `/v1${path}`, {
        ...options,
        body: { ...(example as object), ...ownValues[id], ...named },
        headers: { 'content-type': type },
      });
      expect(answer.status, answer.text).toBe(operation.success.status);
      expectDocumented(id, answer);
    }
  });

  it('changes neither the workspace, nor the key in use, nor whether an order is complete', async () => {
    await app.call('POST', '/v1/store/orders', { body: { petId: 1 } });
    const before = await state();
    const keyId = app.key.slice(4, 16);
    const fill: Record<string, string> = { petId: '1', orderId: '1', workspaceId: '1', keyId };
    for (const [id, { method, path, requestExample }] of withBody) {
      if (['createKey', 'rotateKey', 'updateOrder', 'adminAddGrant'].includes(id)) continue;
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => fill[name] ?? '1');
      const answer = await app.call(method, `/v1${filled}`, { body: requestExample });
      expect(answer.status, `${id} ${answer.text}`).toBeLessThan(500);
    }
    expect(await state()).toEqual(before);
    const updated = await app.call('PATCH', '/v1/store/orders/1', {
      body: exampleOf('updateOrder'),
    });
    expect(updated.body.complete).toBe(false);
    const rotated = await app.call('POST', `/v1/keys/${keyId}/rotate`, {
      body: exampleOf('rotateKey'),
    });
    expect(rotated.status).toBe(201);
    expect((await app.call('GET', '/v1/pets')).status).toBe(200);
  });

  function exampleOf(id: string): unknown {
    return operations.find((operation) => operation.id === id)!.requestExample;
  }
});

describe('the document is as strict as the service', () => {
  let app: TestApp;
  let world: World;
  beforeAll(async () => {
    app = await testApp();
    world = new World(app, app.key);
    await world.pet();
  });

  const ajv = new Ajv({ strict: false });
  ajv.addFormat('int64', Number.isSafeInteger as never).addFormat('date-time', true);
  ajv.addSchema(contract, 'contract');
  const isDocumented = (title: string, body: unknown) =>
    ajv.validate({ $ref: `contract#/components/schemas/${title}` }, body);

  const limits = { perMinute: 1, perDay: 2 };
  it.each<[method: string, path: string, title: string, body: object, isAccepted: boolean]>([
    ['POST', '/pets', 'NewPet', { id: 'x', name: 'Rex', categoryId: 1 }, true],
    ['POST', '/pets', 'NewPet', { name: ` ${'a'.repeat(200)} `, categoryId: 1 }, true],
    ['POST', '/pets', 'NewPet', { name: `\u3000${'😀'.repeat(200)}\ufeff`, categoryId: 1 }, true],
    ['POST', '/pets', 'NewPet', { name: 'a'.repeat(201), categoryId: 1 }, false],
    ['POST', '/pets', 'NewPet', { name: ' \u00a0', categoryId: 1 }, false],
    ['POST', '/pets', 'NewPet', { name: 'a\n', categoryId: 1 }, false],
    ['POST', '/pets/batch', 'PetBatch', { pets: [1, {}, 'x'], mode: 'each' }, true],
    ['POST', '/pets/batch', 'PetBatch', { pets: [1] }, false],
    ['POST', '/pets/batch', 'PetBatch', { pets: [{ name: 'Rex', categoryId: 1 }] }, true],
    ['POST', '/admin/workspaces', 'NewWorkspace', { name: 'w' }, true],
    ['POST', '/admin/workspaces', 'NewWorkspace', { name: 'w', plan: 'pro', limits }, false],
    ['POST', '/admin/workspaces', 'NewWorkspace', { name: 'w', plan: 'enterprise' }, false],
    ['POST', '/admin/workspaces', 'NewWorkspace', { name: 'w', limits }, false],
    ['POST', '/admin/workspaces', 'NewWorkspace', { name: 'w', plan: 'enterprise', limits }, true],
    ['PATCH', '/admin/workspaces/2', 'AdminWorkspacePatch', { plan: 'pro', limits }, false],
    ['PATCH', '/admin/workspaces/2', 'AdminWorkspacePatch', { plan: 'enterprise', limits }, true],
    ['PATCH', '/admin/workspaces/2', 'AdminWorkspacePatch', { limits: { perDay: 3 } }, true],
    ['PATCH', '/admin/workspaces/2', 'AdminWorkspacePatch', { name: 'w' }, true],
  ])('%s %s with %s %j', async (method, path, title, body, isAccepted) => {
    expect(isDocumented(title, body)).toBe(isAccepted);
    const answer = await app.call(method, `/v1${path}`, { body });
    expect(answer.status < 300, answer.text).toBe(isAccepted);
  });

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s has an example for every path parameter',
    (_, { path, method }) => {
      const { parameters } = documented(path, method);
      const missing = parameters.filter(
        ({ in: place, example }) => place === 'path' && example === undefined,
      );
      expect(missing).toEqual([]);
    },
  );

  it('has an open list of error codes, and a contact', () => {
    const { info, components } = contract as unknown as {
      info: { contact: { name: string } };
      components: { schemas: { Error: { properties: { code: Record<string, unknown> } } } };
    };
    const { code } = components.schemas.Error.properties;
    expect(code.enum).toBeUndefined();
    expect(code['x-extensible-enum']).toContain('insufficient_stock');
    expect(code.description).toContain('insufficient_stock');
    expect(info.contact.name).not.toBe('');
  });
});
