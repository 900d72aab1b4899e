// What every operation writes to the audit log. The tests loop over the list of operations, so a write cannot forget its
// row.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/operations.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { auditRows } from './audit/audit-rows.ts';
import { exampleRequests, optionsFor, World } from './example-requests.ts';

let app: TestApp;
let world: World;

beforeAll(async () => {
  const environment = { PETSTORE_SIGNUP: 'open', PETSTORE_BAN_AFTER: '2' };
  app = await testApp({ environment: { ...environment, PETSTORE_WEBHOOKS: 'off' } });
  world = new World(app, app.key);
});

/** Tables whose changes are audited. An operation of another tag changes none of them. */
const AUDITED = new Set(['keys', 'session', 'workspace', 'admin', 'webhooks']);
/** What they change is sent to a receiver, and not kept. */
const SENDING = new Set(['pingWebhook', 'redeliverEvent']);

const named = (list: readonly Operation[]) =>
  list.map((operation) => [operation.id, operation] as const);
/** A read that sends out a whole workspace is audited as well. */
const isRead = ({ kind, audits }: Operation) => kind === 'read' && audits === undefined;
const reads = named(operations.filter(isRead));
const writes = named(operations.filter((operation) => !isRead(operation)));
const replayed = writes.filter(([, { kind, session }]) => kind !== 'read' && session !== 'ends');
const dry = writes.filter(([, { takesDryRun, audits }]) => takesDryRun && audits);

const example = (operation: Operation) => exampleRequests[operation.id]!(world);
const actorTypeOf = ({ scope }: Operation, isSession: boolean) =>
  scope === 'operate' ? 'operator' : isSession ? 'session' : 'key';

describe('every operation and the audit log', () => {
  it.each(writes)('%s writes the rows that it declares, and no others', async (id, operation) => {
    const { path, body, options } = await example(operation);
    const before = await auditRows(app);
    const answer = await app.call(operation.method, `/v1${path}`, {
      ...(body === undefined ? {} : { body }),
      ...options,
    });
    expect(answer.status, answer.text).toBe(operation.success.status);
    const written = (await auditRows(app)).slice(before.length);
    const { audits = [] } = operation;
    const mustDeclare = AUDITED.has(operation.tag) && !SENDING.has(id);
    expect(audits.length > 0, 'declared').toBe(mustDeclare);
    if (mustDeclare) expect(written.map(({ action }) => action)).toContain(audits[0]);
    const keyId = (options?.key ?? app.key).slice(4, 16);
    for (const row of written) {
      expect(audits).toContain(row.action);
      const type = actorTypeOf(operation, options?.headers?.cookie !== undefined);
      expect(row.actor.type).toBe(type);
      if (type === 'key' || type === 'operator') {
        expect(row.actor).toEqual({ type, id: keyId, name: 'first key' });
      }
      expect(row.requestId).toBe(answer.headers.get('x-request-id'));
      expect(row.address).toBe('127.0.0.1');
    }
  });

  it.each(replayed)('%s writes no row when it is refused or replayed', async (id, operation) => {
    const request = await example(operation);
    const { path } = request;
    const own = operation.session ? { ...request, options: {} } : request;
    const options = optionsFor(own, { headers: { 'idempotency-key': `audit-${id}` } });
    await app.call(operation.method, `/v1${path}`, options);
    const before = await auditRows(app);
    const again = await app.call(operation.method, `/v1${path}`, options);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const refused = await app.call(operation.method, `/v1${path}?colour=red`, options);
    expect(refused.status).toBe(400);
    expect(await auditRows(app)).toEqual(before);
  });

  it.each(dry)('%s writes no row when it is a dry run', async (_, operation) => {
    const request = await example(operation);
    const before = await auditRows(app);
    const url = `/v1${request.path}?dryRun=true`;
    const answer = await app.call(operation.method, url, optionsFor(request));
    expect(answer.headers.get('dry-run')).toBe('true');
    expect(await auditRows(app)).toEqual(before);
  });

  it.each(reads)('%s writes no row', async (_, operation) => {
    const { path } = await example(operation);
    const before = await auditRows(app);
    await app.call('GET', `/v1${path}`);
    expect(await auditRows(app)).toEqual(before);
  });
});
