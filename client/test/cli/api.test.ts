import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runPetstore } from '../support/run-petstore.ts';

/** The environment of a service that answers like this. */
async function answering(answer: RequestListener): Promise<Record<string, string>> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1` };
}

it('petstore api sends braces as they are typed', async () => {
  const sent: string[] = [];
  const env = await answering(({ url }, res) => {
    sent.push(decodeURIComponent(url!));
    res.end('[]');
  });
  const { code } = await runPetstore(['api', 'GET', '/pets?name={Rex}'], { env });
  expect([code, sent]).toEqual([0, ['/v1/pets?name={Rex}']]);
});

const refusal = {
  code: 'insufficient_stock',
  message: 'No.',
  status: 409,
  requestId: 'r1',
  docUrl: '/docs/errors#insufficient_stock',
  details: { available: 0 },
};

it('petstore api -i shows the status and the headers of a refusal as well', async () => {
  const env = await answering((_, res) => {
    res.writeHead(409, { 'x-request-id': 'r1' }).end(JSON.stringify(refusal));
  });
  const { code, stdout, stderr } = await runPetstore(['api', 'GET', '/pets', '-i'], { env });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^HTTP 409\n([a-z-]+: .*\n)+\n$/);
  expect(stdout).toContain('x-request-id: r1\n');
  expect(stderr).toContain('No. (insufficient_stock, request r1)');
});

it.each([
  ['api', 'GET', '/pets'],
  ['pets', 'list'],
  ['listen', '--from', '0'],
])('under --json the error of petstore %s is the whole Error object', async (...args) => {
  const env = await answering((_, res) => void res.writeHead(409).end(JSON.stringify(refusal)));
  const { code, stderr } = await runPetstore([...args, '--json'], { env });
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(JSON.stringify(refusal));
});

it('under --json a refusal that is no Error object has its status and how it begins', async () => {
  const env = await answering((_, res) => void res.writeHead(418).end('<html>'));
  const { code, stderr } = await runPetstore(['pets', 'list', '--json'], { env });
  expect(code).toBe(1);
  const message = 'HTTP 418: <html>';
  expect(JSON.parse(stderr)).toEqual({ code: 'unexpected_answer', message, status: 418 });
});

it.each([
  ['a page of a proxy', '<h1>\u001b]0;owned\u0007\u001b[2J\r\nBad gateway\u009b1m</h1>\n'],
  ['an Error object', JSON.stringify({ ...refusal, message: 'Bad gateway\u001b[2J\n\u009b1m' })],
])('%s reaches the terminal on one line, without what would control it', async (_, body) => {
  const env = await answering((_req, res) => void res.writeHead(409).end(body));
  const { code, stderr } = await runPetstore(['pets', 'list'], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('Bad gateway');
  expect(stderr).toMatch(/^petstore: \P{Cc}+\n$/u);
});
