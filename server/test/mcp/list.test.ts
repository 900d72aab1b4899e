import { beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { send } from './agent.ts';

/** A token of a current model (o200k) is about 4.2 bytes of these lists: these are 5,500 and 2,100 tokens. */
const BYTES_MAX = 23_000;
const BYTES_MAX_OF_READS = 8_800;
let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

const listOf = async (of: TestApp, key?: string) => {
  const { body } = await send(of, 'tools/list', {}, key === undefined ? {} : { key });
  return JSON.stringify({ tools: body.result.tools });
};

it('takes little room in the context of a model', async () => {
  const all = await listOf(app, await app.addKey(['read', 'write']));
  expect(Buffer.byteLength(all)).toBeLessThanOrEqual(BYTES_MAX);
  const reads = await listOf(app, await app.addKey(['read']));
  expect(Buffer.byteLength(reads)).toBeLessThanOrEqual(BYTES_MAX_OF_READS);
});

it('has the same bytes each time, on every node and for every key with the same scopes', async () => {
  const other = await testApp();
  const first = await send(app, 'tools/list');
  expect((await send(app, 'tools/list')).text).toBe(first.text);
  expect((await send(other, 'tools/list')).text).toBe(first.text);
});

it('speaks of the cursors that results have, not of links', async () => {
  const list = await listOf(app, await app.addKey(['read', 'write']));
  expect(list).toContain('The `nextCursor` is always there');
  expect(list).not.toMatch(/\blinks?\b/);
});

it('names one type per schema, which every host can map', async () => {
  const search = '?tools=animals,categories,inventory,orders,workspace,keys,usage,events,webhooks';
  const { text } = await send(app, 'tools/list', {}, { search });
  expect(text).not.toContain('"type":[');
  expect(text).not.toContain('nullable');
  expect(text).not.toContain('$ref');
});
