import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWebhook, TestReceiver } from '../operations/webhooks/receiver-app.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type ExportedSpan, spansIn } from '../support/otlp.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const header = (flags = '01') => ({ traceparent: `00-${TRACE}-${SPAN}-${flags}` });
afterEach(() => vi.unstubAllEnvs());

/** A collector that answers as the listener does. */
async function collector(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** An app that exports its spans, and the spans that have arrived. */
async function tracedApp(environment: Record<string, string> = {}) {
  const spans: ExportedSpan[] = [];
  const url = await collector(async (request, response) => {
    spans.push(...(await spansIn(request)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '50');
  const app = await testApp({ environment });
  return { app, spans };
}

async function receiverOf(app: TestApp): Promise<TestReceiver> {
  const receiver = await new TestReceiver().listen();
  onTestFinished(() => receiver.close());
  await createWebhook(app, { url: receiver.url, types: ['order.placed'] });
  return receiver;
}

async function placeOrder(app: TestApp, headers: Record<string, string>) {
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  const pet = await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  const body = { petId: pet.body.id, quantity: 1 };
  const answer = await app.call('POST', '/v1/store/orders', { body, headers });
  expect(answer.status, answer.text).toBe(201);
}

describe('without an endpoint', () => {
  let app: TestApp;
  const lines: string[] = [];
  beforeAll(async () => {
    app = await testApp({ lines });
  });
  const lastLine = () => JSON.parse(lines.findLast((line) => line.includes('"path"'))!);

  it('the trace of a request is in its line of the log and in its deliveries', async () => {
    const receiver = await receiverOf(app);
    await placeOrder(app, header());
    expect(lastLine().traceId).toBe(TRACE);
    await expect.poll(() => receiver.types()).toContain('order.placed');
    const delivered = receiver.received.at(-1)!;
    // A client has no say in what is sampled.
    expect(delivered.headers.traceparent).toBe(`00-${TRACE}-${SPAN}-00`);
    const event = JSON.parse(delivered.body);
    expect(JSON.stringify(event)).not.toContain(TRACE);
    const { body } = await app.call('GET', '/v1/events?type=order.placed');
    expect(body.at(-1)).toEqual(event);
  });

  it.each(['garbage', `00-${TRACE}-${SPAN}-01-x`, `00-${'0'.repeat(32)}-${SPAN}-01`])(
    'a malformed traceparent is ignored: %s',
    async (traceparent) => {
      expect((await app.call('GET', '/v1/pets', { headers: { traceparent } })).status).toBe(200);
      expect(lastLine()).not.toHaveProperty('traceId');
    },
  );
});

describe('with an endpoint', () => {
  it('request, limiter, storage and delivery of an order are spans of one trace', async () => {
    const { app, spans } = await tracedApp();
    const receiver = await receiverOf(app);
    await placeOrder(app, header());
    const own = () => spans.filter(({ traceId }) => traceId === TRACE);
    const names = ['POST /v1/store/orders', 'limiter', 'storage write', 'webhook delivery'];
    await expect
      .poll(() =>
        own()
          .map(({ name }) => name)
          .toSorted(),
      )
      .toEqual(names.toSorted());
    const [request] = own().filter(({ name }) => name.startsWith('POST'));
    for (const { name, parentSpanId } of own()) {
      if (name !== request!.name) expect(parentSpanId).toBe(request!.spanId);
    }
    expect(request!.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/store/orders',
      'http.response.status_code': 201,
    });
    const delivery = own().find(({ name }) => name === 'webhook delivery')!;
    const sent = receiver.received.find(({ headers }) => headers.traceparent?.includes(TRACE));
    expect(sent!.headers.traceparent).toBe(`00-${TRACE}-${delivery.spanId}-01`);
    expect(JSON.stringify(spans)).not.toContain(app.key);
  });

  it('a read has a span of storage unless it comes from the cache', async () => {
    const { app, spans } = await tracedApp();
    await app.call('GET', '/v1/pets', { headers: header() });
    await expect
      .poll(() => spans.filter(({ traceId }) => traceId === TRACE).map(({ name }) => name))
      .toEqual(expect.arrayContaining(['GET /v1/pets', 'limiter', 'storage read']));
  });

  it('the sampled flag counts from a trusted proxy, and from no other client', async () => {
    const names = (spans: ExportedSpan[]) =>
      spans.filter(({ traceId }) => traceId === TRACE).map(({ name }) => name);
    const client = await tracedApp({ PETSTORE_TRUST_PROXY: '10.0.0.1' });
    await client.app.call('GET', '/v1/plans', { headers: header('00') });
    await expect.poll(() => names(client.spans)).toContain('GET /v1/plans');
    const proxy = await tracedApp({ PETSTORE_TRUST_PROXY: '127.0.0.1' });
    await proxy.app.call('GET', '/v1/plans', { headers: header('00') });
    await proxy.app.call('GET', '/v1/pets', { headers: header('01') });
    await expect.poll(() => names(proxy.spans)).toContain('GET /v1/pets');
    expect(names(proxy.spans)).not.toContain('GET /v1/plans');
  });

  it('samples as OTEL_TRACES_SAMPLER says, and what is not sampled keeps the trace of its client', async () => {
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'always_off');
    const { app, spans } = await tracedApp({ PETSTORE_TRUST_PROXY: '127.0.0.1' });
    const receiver = await receiverOf(app);
    await placeOrder(app, header('01'));
    await expect.poll(() => receiver.types()).toContain('order.placed');
    expect(receiver.received.at(-1)!.headers.traceparent).toBe(`00-${TRACE}-${SPAN}-00`);
    await app.stop();
    expect(spans).toEqual([]);
  });

  it.each<[string, () => Promise<string>]>([
    ['hangs', () => collector(() => undefined)],
    ['fails', () => collector((_, response) => void response.writeHead(500).end())],
    ['is away', async () => 'http://127.0.0.1:9'],
  ])('a collector that %s costs nothing but spans', async (_, open) => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', await open());
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10');
    vi.stubEnv('OTEL_BSP_MAX_QUEUE_SIZE', '20');
    vi.stubEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '5');
    const app = await testApp();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => app.call('GET', '/v1/pets', { headers: header() })),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    await app.stop();
  });
});
