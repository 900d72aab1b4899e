import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
type Any = any;

async function shop() {
  const key = await app.addWorkspace();
  const send = (method: string, path: string, body?: unknown) =>
    app.call<Any>(method, `/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const { id } = (await send('GET', '/workspace')).body;
  return { id, key, send };
}

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('an export of the audit log', () => {
  it('has the rows of the list, as the owner may see them', async () => {
    const { id, send } = await shop();
    await send('POST', '/keys', { name: 'till', scopes: ['read'] });
    await app.call('PATCH', `/v1/admin/workspaces/${id}`, { body: { plan: 'pro' } });
    const { body: listed } = await send('GET', '/audit');
    expect(listed[0].actor).toEqual({ type: 'operator' });
    const { text, headers } = await send('GET', '/audit/export');
    expect(linesOf(text)).toEqual(listed);
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"');
    const filtered = await send('GET', '/audit/export?action=plan.changed');
    expect(linesOf(filtered.text)).toEqual([listed[0]]);
  });

  it('has all rows, however many, one page after the other', async () => {
    const { id, send } = await shop();
    await app.transact(async (tx) => {
      const actor = { type: 'service' } as const;
      const row = { workspaceId: id, action: 'ban.lifted', actor, target: 'key:none' } as const;
      for (let n = 0; n < 1_234; n++) await tx.auditLog.add({ ...row, at: 1_000_000 + n });
    });
    const ids = linesOf((await send('GET', '/audit/export')).text).map((row) => row.id);
    expect(ids).toHaveLength(1_235);
    // The key of the workspace is newer than all others.
    expect(ids.slice(1)).toEqual(ids.slice(1).toSorted((a, b) => b - a));
  });

  it('is CSV that a spreadsheet reads and does not run', async () => {
    const { send } = await shop();
    await send('PATCH', '/workspace', { name: 'Paws, "big" and small' });
    await send('POST', '/keys', { name: '=1+1', scopes: ['manage'] });
    const { text, headers } = await send('GET', '/audit/export?format=csv');
    expect(headers.get('content-type')).toBe('text/csv');
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    const [head, created, updated] = text.split('\r\n');
    expect(head).toBe(
      'id,at,workspaceId,action,actorType,actorId,actorName,target,before,after,requestId,address',
    );
    expect(created).toContain('"{""name"":""=1+1"",""scopes"":[""manage""]}"');
    expect(updated).toContain('"{""name"":""Paws, \\""big\\"" and small""}"');
    const { body } = await send('GET', '/keys');
    const own = body.find(({ name }: Any) => name === '=1+1');
    const { key } = (await send('POST', `/keys/${own.id}/rotate`, {})).body;
    await app.call('PATCH', '/v1/workspace', { key, body: { name: 'By formula' } });
    const again = await send('GET', '/audit/export?format=csv');
    expect(again.text.split('\r\n')[1]).toContain(`,'=1+1,workspace,`);
  });

  it('is one of all workspaces for the operator', async () => {
    const { id } = await shop();
    const all = await app.call('GET', '/v1/admin/audit/export');
    const own = await app.call('GET', `/v1/admin/audit/export?workspaceId=${id}`);
    expect(linesOf(own.text).map(({ workspaceId }) => workspaceId)).toEqual([id]);
    expect(new Set(linesOf(all.text).map(({ workspaceId }) => workspaceId)).size).toBeGreaterThan(
      1,
    );
  });

  it('is refused for an unknown format, and where its types are not accepted', async () => {
    const { key, send } = await shop();
    expectError(await send('GET', '/audit/export?format=xml'), 'invalid_request');
    const ask = (accept: string) =>
      app.call('GET', '/v1/audit/export?format=csv', { key, headers: { accept } });
    expectError(await ask('image/png'), 'not_acceptable');
    expect((await ask('text/csv')).status).toBe(200);
  });
});
