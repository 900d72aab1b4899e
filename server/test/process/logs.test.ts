import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../support/raw-http.ts';
import { firstKeyOf, type Service, startService, stopService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
let service: Service;
let key: string;
let log: Record<string, unknown>[];
let afterwards: string;
let metrics: string;
const requestIds: Record<string, string> = {};

beforeAll(async () => {
  const environment = { PETSTORE_LOG_LEVEL: 'trace', PETSTORE_ADDRESS_PER_MINUTE: '1000' };
  service = await startService(folder.path, environment);
  key = firstKeyOf(service);
  const shown = service.output().length;
  await sendPlainRequests();
  await sendTheKeyEverywhere();
  metrics = await (await fetch(`${service.address}/metrics`)).text();
  await stopService(service);
  afterwards = service.output().slice(shown);
  const lines = afterwards.split('\n').filter((line) => line !== '');
  log = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
});
afterAll(folder.remove);

async function sendPlainRequests(): Promise<void> {
  const { address } = service;
  const headers = { 'x-api-key': key, 'x-request-id': 'mine-1' };
  await fetch(`${address}/v1/pets?limit=1`, { headers });
  const refused = await fetch(`${address}/v1/pets`);
  requestIds.refused = refused.headers.get('x-request-id')!;
  const broken = {
    malformed: 'hello\r\n\r\n',
    undecodable: 'GET /v1/%zz HTTP/1.1\r\nHost: a\r\n\r\n',
    ambiguous: 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    injecting: 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\x0b{"level":60}\r\n\r\n',
  };
  for (const [name, request] of Object.entries(broken)) {
    const { answers } = await exchange(address, request);
    requestIds[name] = answers[0]!.headers['x-request-id']!;
  }
  await fetch(`${address}/v1/pets%0a{"level":60}`);
}

async function sendTheKeyEverywhere(): Promise<void> {
  const { address } = service;
  const own = { 'x-api-key': key };
  const post = (body: string, headers = {}) => {
    const all = { ...own, 'content-type': 'application/json', ...headers };
    return fetch(`${address}/v1/categories`, { method: 'POST', headers: all, body });
  };
  await fetch(`${address}/v1/pets?api_key=${key}`);
  await fetch(`${address}/v1/pets/${key}`, { headers: own });
  await fetch(`${address}/${key}`);
  await fetch(`${address}/v1/keys/${key}/rotate`, { headers: own });
  await fetch(`${address}/v1/pets`, { headers: { authorization: `Basic ${key}` } });
  const named = { 'x-request-id': key, 'user-agent': key, referer: key, cookie: key, accept: key };
  await fetch(`${address}/v1/pets`, { headers: named });
  await post(`{"name":"${key}","${key}":1}`);
  await post(key);
  await post('{}', { 'idempotency-key': key, 'if-match': key, 'content-type': key });
  await exchange(address, `${key} / HTTP/1.1\r\n\r\n`);
  await exchange(address, `GET /v1/%zz${key} HTTP/1.1\r\nHost: ${key}\r\n\r\n`);
  await exchange(address, `GET http://${key}@a/v1/pets HTTP/1.1\r\nHost: a\r\n\r\n`);
}

describe('the log', () => {
  it('has one line for every request, even one that is not HTTP', () => {
    const linesOf = (requestId: unknown) => log.filter((line) => line.requestId === requestId);
    expect(linesOf('mine-1')).toMatchObject([
      {
        method: 'GET',
        path: '/v1/pets',
        operation: 'listPets',
        status: 200,
        keyId: key.slice(4, 16),
      },
    ]);
    expect(linesOf(requestIds.refused)).toMatchObject([{ status: 401, code: 'missing_api_key' }]);
    for (const name of ['malformed', 'undecodable', 'ambiguous']) {
      const expected = [{ status: 400, code: 'invalid_request' }];
      expect(linesOf(requestIds[name]), name).toMatchObject(expected);
    }
  });

  it('never holds a key, wherever a client puts it', () => {
    expect(afterwards).toContain('"path":"/v1/pets/psk_…"');
    expect(afterwards).not.toContain(key.slice(16, 40));
    expect(metrics).not.toContain(key.slice(16, 40));
  });

  it('treats what a client sends as text, never as a line', () => {
    expect(log.filter(({ level }) => level === 60)).toEqual([]);
    for (const line of log) expect(typeof line.time).toBe('number');
  });
});
