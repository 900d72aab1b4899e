import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { InvalidConfig } from '../../src/config.ts';
import { configuredTracing } from '../../src/configured-tracing.ts';
import { petstore } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  /** Resource and spans, as JSON. */
  text: string;
}

let url: string;
let received: Received[];
beforeEach(async () => {
  received = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    received.push({ url: request.url!, headers: request.headers, text });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterEach(() => vi.unstubAllEnvs());

/** Ends one span under these variables. Returns whether it was sampled, and the reasons of all warnings. */
async function trace(variables: Record<string, string>) {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const warnings: string[] = [];
  const write = (line: string) => void warnings.push(JSON.parse(line).reason);
  const tracing = await configuredTracing(pino({ level: 'warn' }, { write }));
  const span = tracing?.start('a span', { kind: 'server', parent: undefined });
  span?.end();
  await tracing?.close();
  return { isOn: tracing !== undefined, isSampled: span !== undefined, warnings };
}

describe('as OpenTelemetry documents it', () => {
  it.each<[string, string]>([
    ['OTEL_SDK_DISABLED', 'TRUE'],
    ['OTEL_TRACES_EXPORTER', 'none'],
    ['OTEL_TRACES_EXPORTER', ' None '],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ' '],
  ])('%s=%s exports nothing', async (name, value) => {
    expect(await trace({ [name]: value })).toEqual({ isOn: false, isSampled: false, warnings: [] });
    expect(received).toEqual([]);
  });

  it('name, attributes, headers and the endpoint of traces are used', async () => {
    const { warnings } = await trace({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/of/traces`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-first=a%20b, x-second=c',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-second=d',
      OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
      OTEL_SERVICE_NAME: 'shop',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=a%2Cb',
      OTEL_SDK_DISABLED: 'false',
      OTEL_TRACES_EXPORTER: 'otlp',
    });
    expect(warnings).toEqual([]);
    const [{ url: path, headers, text }] = received as [Received];
    expect(path).toBe('/of/traces');
    expect(headers).toMatchObject({ 'x-first': 'a b', 'x-second': 'd' });
    expect(text).toContain('{"key":"service.name","value":{"stringValue":"shop"}}');
    expect(text).toContain('"value":{"stringValue":"a,b"}');
  });

  it.each<[string, string, boolean]>([
    ['always_off', '', false],
    ['parentbased_always_off', '', false],
    ['traceidratio', '0', false],
    ['parentbased_traceidratio', '1', true],
  ])('OTEL_TRACES_SAMPLER=%s with %j', async (sampler, share, isSampled) => {
    const variables = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share };
    expect((await trace(variables)).isSampled).toBe(isSampled);
    expect(received).toHaveLength(isSampled ? 1 : 0);
  });

  it('of several malformed values each is named, and each has its default', async () => {
    const { warnings, isSampled } = await trace({
      OTEL_SDK_DISABLED: 'perhaps',
      OTEL_TRACES_EXPORTER: 'console',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
      OTEL_RESOURCE_ATTRIBUTES: 'a=b=c,d=e',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '7',
      OTEL_BSP_MAX_QUEUE_SIZE: 'many',
    });
    const named = warnings.map((reason) => /OTEL_[A-Z_]+/.exec(reason)?.[0]);
    expect(named.toSorted()).toEqual([
      'OTEL_BSP_MAX_QUEUE_SIZE',
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'OTEL_EXPORTER_OTLP_TIMEOUT',
      'OTEL_RESOURCE_ATTRIBUTES',
      'OTEL_SDK_DISABLED',
      'OTEL_TRACES_EXPORTER',
      'OTEL_TRACES_SAMPLER_ARG',
    ]);
    expect(isSampled).toBe(true);
    expect(received).toHaveLength(1);
    expect(received[0]!.text).not.toContain('"key":"d"');
  });
});

describe('a value with which nothing could be exported is refused', () => {
  it.each<[string, string, string]>([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', '"collector:4318"'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'no url', '"no url"'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://user:secret@host', 'it'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a name=secret', 'it'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'authorization=a%0Ab', 'it'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret', 'it'],
    ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '0', '"0"'],
    ['OTEL_BSP_SCHEDULE_DELAY', '-1', '"-1"'],
  ])('%s=%s', async (name, value, shown) => {
    const refused = await trace({ [name]: value }).catch((err: unknown) => err);
    expect(refused).toBeInstanceOf(InvalidConfig);
    const { message } = refused as InvalidConfig;
    expect(message).toMatch(new RegExp(`^${name} must be .+; `));
    expect(message.endsWith(`; ${shown} is not`), message).toBe(true);
    expect(message).not.toContain('secret');
  });

  it('and so is a file of TLS that cannot be used', async () => {
    const variables = { OTEL_EXPORTER_OTLP_CERTIFICATE: '/missing/ca.pem' };
    await expect(trace(variables)).rejects.toThrow(
      /^OTEL_EXPORTER_OTLP_CERTIFICATE names \/missing\/ca.pem, which does not exist: /,
    );
  });

  it('in one line, before anything is created', async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const { exitCode, stdout, stderr } = await petstore(['serve'], {
      PETSTORE_DATA_DIR: `${folder.path}/data`,
      PETSTORE_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    });
    expect([exitCode, stdout]).toEqual([78, '']);
    expect(stderr).toBe(
      'petstore: OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://collector:4318; "collector:4318" is not\n',
    );
  });
});
