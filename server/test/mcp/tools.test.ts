// What holds for every tool. The tests loop over the list of operations.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { toolsOf } from '../../src/mcp/tool.ts';
import { queryOf } from '../../src/mcp/tool-schemas.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/operations.ts';
import { type ExampleRequest, exampleRequests, World } from '../operations/example-requests.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { tableRows } from '../support/table-rows.ts';
import { callTool, listTools, send } from './agent.ts';

const LEFT_OUT = [
  ...['signUp', 'createKey', 'rotateKey', 'createSession', 'getSession', 'deleteSession'],
  ...[
    'getPet',
    'listPlans',
    'streamEvents',
    'createWebhook',
    'rotateWebhookSecret',
    'adminCreateWorkspace',
    'exportAudit',
    'adminExportAudit',
    'exportWorkspace',
    'adminExportWorkspace',
  ],
];
/** POSTs that do more than add. */
const OVERWRITING = ['setStock', 'replayWebhook'];
const CALLING_OTHERS = ['pingWebhook', 'redeliverEvent'];
const ALL =
  '?tools=animals,categories,inventory,orders,workspace,keys,usage,audit,requests,events,webhooks,admin';
const tools = toolsOf(operations).map(({ name, operation }) => [name, operation] as const);
const dryRunnable = tools.filter(([, { takesDryRun }]) => takesDryRun);
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
ajv.addFormat('date', (text) => !Number.isNaN(Date.parse(text)));
ajv.addFormat('uri', URL.canParse);

let app: TestApp;
let world: World;
/** The entries of the list, by name. */
let entries: Map<string, Record<string, unknown>>;
beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_WEBHOOKS: 'off' } });
  world = new World(app, app.key);
  const listed = await listTools(app, { search: `${ALL}&structured=true` });
  entries = new Map(listed.map((entry) => [entry.name, entry]));
});

/** The arguments of the tool that stand for a request. */
function argumentsOf(operation: Operation, { path, body }: ExampleRequest) {
  const [pathname, search] = path.split('?') as [string, string?];
  const { params = {} } = operation;
  const shape = new RegExp(`^${operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const given: Record<string, unknown> = { ...shape.exec(pathname)!.groups };
  for (const [name, text] of new URLSearchParams(search)) given[name] = text;
  for (const [name, { schema }] of Object.entries({ ...params, ...queryOf(operation) })) {
    if (schema.type === 'integer' && name in given) given[name] = Number(given[name]);
  }
  return { ...given, ...(body as object) };
}

/** When a key was last used is written a while later, perhaps between two calls. */
function withoutLastUse(value: unknown): unknown {
  const text = JSON.stringify(value, (name, part) => (name === 'lastUsedAt' ? undefined : part));
  return JSON.parse(text);
}

async function exampleOf(operation: Operation) {
  world.startNewMinute();
  const request = await exampleRequests[operation.id]!(world);
  return { request, given: argumentsOf(operation, request) };
}

it('every operation is a tool, except those that are left out on purpose', () => {
  const names = tools.map(([name]) => name);
  expect(names).toEqual(operations.map(({ id }) => id).filter((id) => !LEFT_OUT.includes(id)));
  expect([...entries.keys()]).toEqual(names);
});

describe.each(tools)('%s', (name, operation) => {
  it('takes every parameter and field of the operation', () => {
    const { properties = {}, anyOf = [] } = (operation.body ?? {}) as {
      properties?: object;
      anyOf?: { properties: object }[];
    };
    const fields = [properties, ...anyOf.map((form) => form.properties)].flatMap(Object.keys);
    const named = [...Object.keys({ ...operation.params, ...queryOf(operation) }), ...fields];
    const writes = operation.kind === 'read' ? [] : ['idempotencyKey'];
    const { properties: taken } = entries.get(name)!.inputSchema as { properties: object };
    expect(new Set(Object.keys(taken))).toEqual(new Set([...named, ...writes]));
    // Its reference in the path and in the body are the same.
    const repeated = operation.id === 'putPetByReference' ? 1 : 0;
    expect(new Set(named).size + repeated, 'two parts with one name').toBe(
      Object.keys({ ...operation.params }).length +
        Object.keys(queryOf(operation)).length +
        new Set(fields).size,
    );
  });

  it('its schema accepts the example and refuses a missing and an unknown field', async () => {
    const { given } = await exampleOf(operation);
    const accepts = ajv.compile(entries.get(name)!.inputSchema as object);
    expect(accepts(given), JSON.stringify(accepts.errors)).toBe(true);
    expect(accepts({ ...given, unknown: 1 })).toBe(false);
    const { required = [] } = entries.get(name)!.inputSchema as { required?: string[] };
    for (const field of required) {
      const { [field]: _, ...rest } = given as Record<string, unknown>;
      expect(accepts(rest), `without ${field}`).toBe(false);
    }
  });

  it('answers the example as REST does, as text and as data of its outputSchema, and without a secret', async () => {
    const { request, given } = await exampleOf(operation);
    const search = `${ALL}&structured=true`;
    const rest = async () =>
      (await app.call(operation.method, `/v1${request.path}`, { body: request.body })).body;
    const before = operation.kind === 'read' ? await rest() : undefined;
    const { isError, structuredContent, value, answer } = await callTool(app, name, given, {
      search,
      ...request.options,
    });
    expect(isError, answer.text).toBeUndefined();
    expect(value).toEqual(structuredContent);
    const { outputSchema } = entries.get(name) as { outputSchema: { type: string } };
    expect(outputSchema.type).toBe('object');
    const accepts = ajv.compile(outputSchema);
    expect(accepts(structuredContent), JSON.stringify(accepts.errors)).toBe(true);
    if (operation.kind === 'read' && operation.tag !== 'usage') {
      const after = Array.isArray(before) ? value.items : value;
      expect(withoutLastUse(after)).toEqual(withoutLastUse(before));
    }
    expect(answer.text).not.toMatch(/psk_[A-Za-z0-9]{20,}/);
  });

  it('refuses an unknown argument, and changes nothing', async () => {
    const { given } = await exampleOf(operation);
    const before = await tableRows(app);
    const { isError, value } = await callTool(app, name, { ...given, bogus: 1 }, { search: ALL });
    expect(isError).toBe(true);
    expect(value.code).toBe('invalid_request');
    expect(value.details[0].field).toBe('bogus');
    expect(await tableRows(app)).toBe(before);
  });

  it('refuses arguments of a wrong type, and never fails', async () => {
    const { given } = await exampleOf(operation);
    const { properties } = entries.get(name)!.inputSchema as { properties: object };
    for (const field of Object.keys(properties)) {
      for (const wrong of [{ wrong: {} }, [[]]]) {
        world.startNewMinute();
        const params = { name, arguments: { ...given, [field]: wrong } };
        const { status, body, text } = await send(app, 'tools/call', params, { search: ALL });
        expect(status, text).toBe(200);
        expect(body.result.isError, `${field} ${text}`).toBe(true);
      }
    }
  });

  it('has the hints that follow from its kind and method, unless it overwrites', () => {
    const { kind, method } = operation;
    const isPost = method === 'POST';
    expect(entries.get(name)!.annotations).toEqual(
      kind === 'read'
        ? { readOnlyHint: true, openWorldHint: false }
        : {
            destructiveHint: !isPost || OVERWRITING.includes(name),
            ...(isPost ? {} : { idempotentHint: true }),
            openWorldHint: CALLING_OTHERS.includes(name),
          },
    );
  });
});

it.each(dryRunnable)('%s with dryRun decides and keeps nothing', async (name, operation) => {
  const { request, given } = await exampleOf(operation);
  const before = await tableRows(app);
  const search = `${ALL}&structured=true`;
  const { isError, structuredContent, answer } = await callTool(
    app,
    name,
    { ...given, dryRun: true, idempotencyKey: 'free' },
    { search, ...request.options },
  );
  expect(isError, answer.text).toBeUndefined();
  const { outputSchema } = entries.get(name) as { outputSchema: object };
  const accepts = ajv.compile(outputSchema);
  expect(accepts(structuredContent), JSON.stringify(accepts.errors)).toBe(true);
  expect(await tableRows(app)).toBe(before);
});
