// The official clients of both generations, over HTTP.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

const info = { name: 'test', version: '1.0.0' };
// biome-ignore lint/suspicious/noExplicitAny: the results of two SDKs.
type Connected = { client: any; era: string | undefined };

async function connect(options: object, search = '', key = app.key): Promise<Connected> {
  const client = new Client(info, options as never);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const url = new URL(`${app.address}/mcp${search}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return { client, era: client.getNegotiatedProtocolVersion() };
}

async function connectV1(search = ''): Promise<Connected> {
  const client = new ClientV1(info);
  const requestInit = { headers: { authorization: `Bearer ${app.key}` } };
  const transport = new TransportV1(new URL(`${app.address}/mcp${search}`), { requestInit });
  await client.connect(transport as never);
  return { client, era: transport.protocolVersion };
}

const clients: readonly (readonly [string, string, (search?: string) => Promise<Connected>])[] = [
  [
    'SDK 2.4 that negotiates',
    '2026-07-28',
    (search) => connect({ versionNegotiation: { mode: 'auto' } }, search),
  ],
  ['SDK 2.4 as it comes', '2025-11-25', (search) => connect({}, search)],
  ['SDK 1.32', '2025-11-25', connectV1],
];

describe.each(clients)('%s', (_, expected, open) => {
  it.each(['', '?structured=true'])('runs a shop at /mcp%s', async (search) => {
    app.clock.advance(61_000);
    const { client, era } = await open(search);
    expect(era).toBe(expected);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }: { name: string }) => name)).toContain('placeOrder');
    const call = async (name: string, given: object = {}) => {
      const result = await client.callTool({ name, arguments: given });
      return { isError: result.isError, ...JSON.parse(result.content[0].text) };
    };
    const category = await call('createCategory', { name: `${expected} ${Math.random()}` });
    const pet = await call('createPet', { name: 'Rex', categoryId: category.id });
    const order = await call('placeOrder', { petId: pet.id, idempotencyKey: `${pet.id}` });
    expect(order.quantity).toBe(1);
    const over = await call('placeOrder', { petId: pet.id });
    expect(over).toMatchObject({ isError: true, code: 'insufficient_stock' });
    const { items } = await call('listOrders', { petId: pet.id });
    const rest = await app.call('GET', `/v1/store/orders?petId=${pet.id}`);
    expect(items).toEqual(rest.body);
    expect(await call('cancelOrder', { orderId: order.id })).toEqual({ isError: undefined });
    const { body } = await app.call('GET', `/v1/store/orders/${order.id}`);
    expect(body.state).toBe('cancelled');
    await client.close();
  });
});

it('a wrong key is refused with the error of the service', async () => {
  const wrong = connect({ versionNegotiation: { mode: 'auto' } }, '', 'psk_wrong');
  await expect(wrong).rejects.toThrow();
});
