import { beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';

const MARK = 'nowhere';
const details = {
  customer: `Customer ${MARK}`,
  note: `Note ${MARK}`,
  metadata: { [`key-${MARK}`]: `value-${MARK}` },
};

let app: TestApp;
const log: string[] = [];
beforeAll(async () => {
  app = await testApp({ lines: log });
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
});

it('whose order it is, its note and its metadata are in no log, no metric and no audit row', async () => {
  const statuses: number[] = [];
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await app.call(method, path, body === undefined ? {} : { body });
    statuses.push(answer.status);
    return answer;
  };
  const order = { petId: 1, ...details };
  const { id } = (await send('POST', '/v1/store/orders', order)).body;
  // Refusals of every kind: by the schema, by the stock, of a value with a control character, of a body that is no JSON.
  await send('POST', '/v1/store/orders', { ...order, quantity: 5 });
  await send('POST', '/v1/store/orders', { ...order, quantity: 0 });
  await send('POST', '/v1/store/orders', { ...order, customer: `${MARK}\n` });
  await send('POST', '/v1/store/orders', `{"customer":"${MARK}`);
  await send('POST', '/v1/store/orders/batch', { orders: [order], mode: 'each' });
  await send('PATCH', `/v1/store/orders/${id}`, { customer: `Other ${MARK}` });
  for (const name of ['q', 'customer']) await send('GET', `/v1/store/orders?${name}=${MARK}`);
  await send('GET', `/v1/store/orders?customer=${`${MARK}+`.repeat(6)}`);
  await send('GET', `/v1/store/orders?unknown=${MARK}`);
  await send('DELETE', `/v1/store/orders/${id}?reason=${MARK}`);
  await send('PATCH', `/v1/store/orders/${id}`, { customer: null });
  expect(statuses).toEqual([201, 409, 400, 400, 400, 200, 200, 200, 200, 400, 400, 204, 200]);

  const search = { name: 'listOrders', arguments: { q: MARK } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: search };
  const headers = { accept: 'application/json, text/event-stream' };
  const { text } = await app.call('POST', '/mcp', { body: message, headers });
  expect(text).toContain('result');

  app.clock.advance(60_000);
  const texts = [log.join('\n')];
  for (const path of ['/metrics', '/v1/requests?limit=100', '/v1/audit?limit=100', '/v1/usage']) {
    const shown = await app.call('GET', path);
    expect(shown.status, path).toBe(200);
    texts.push(shown.text);
  }
  for (const each of texts) {
    expect(each).not.toContain(MARK);
    expect(each.length).toBeGreaterThan(100);
  }
});
