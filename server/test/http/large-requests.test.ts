import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';
import { exchange, readAnswers } from '../support/raw-http.ts';

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
});

function post(headers: string, body: string): string {
  const lines = `Host: localhost\r\nAuthorization: Bearer ${app.key}\r\nContent-Type: application/json\r\n`;
  return `POST /v1/categories HTTP/1.1\r\n${lines}${headers}\r\n${body}`;
}

describe('a client that sends all of a large request before it reads', () => {
  const MANY = 'a'.repeat(8 * 1024 * 1024);
  const chunk = `${MANY.length.toString(16)}\r\n${MANY}\r\n0\r\n\r\n`;

  it.each([
    ['a body with a length', () => post(`Content-Length: ${MANY.length}\r\n`, MANY)],
    ['a chunked body', () => post('Transfer-Encoding: chunked\r\n', chunk)],
  ])('reads 413, and nothing that follows is done: %s', async (_, request) => {
    const { answers } = await sendThenRead(
      request() + post('Content-Length: 14\r\n', '{"name":"Dog"}'),
    );
    expect(answers).toHaveLength(1);
    expectError(answers[0]!, 'payload_too_large');
    expect(answers[0]!.headers.connection).toBe('close');
    expect((await app.call('GET', '/v1/categories')).body).toEqual([]);
  });

  it('reads the refusal of a request after which its connection is closed', async () => {
    const repeated = `Content-Type: application/json\r\nContent-Length: ${MANY.length}\r\n`;
    const { answers } = await sendThenRead(post(repeated, MANY));
    expect(answers).toHaveLength(1);
    expectError(answers[0]!, 'invalid_request');
    expect(answers[0]!.headers.connection).toBe('close');
  });

  it('reads 431', async () => {
    const { answers } = await sendThenRead(post(`X-Large: ${MANY}\r\n`, ''));
    expect(answers).toHaveLength(1);
    expectError(answers[0]!, 'headers_too_large');
  });

  async function sendThenRead(bytes: string) {
    const { hostname, port } = new URL(app.address);
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).write(bytes, () => resolve());
    });
    return readAnswers(socket, { quietMs: 60_000 });
  }
});

describe('HEAD with a body', () => {
  const head = (headers: string) =>
    `HEAD /v1/categories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${app.key}\r\n${headers}\r\n`;

  it.each([
    ['a refusal', 'Host: localhost\r\nContent-Length: 10\r\n', 400],
    ['an offered upgrade', 'Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 10\r\n', 200],
    ['a body of no bytes', 'Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n', 200],
  ])('gets a response before its connection is closed: %s', async (_, headers, status) => {
    const { answers, isClosed } = await exchange(app.address, head(headers), { isHead: true });
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expect(answers[0]!.headers).toMatchObject({
      connection: 'close',
      'x-ratelimit-limit': expect.anything(),
    });
    expect(isClosed).toBe(true);
  });
});
