import type { RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore } from '../support/run-petstore.ts';

/** The environment of a service that answers like this. */
async function answering(answer: RequestListener): Promise<Record<string, string>> {
  return { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: await fakeService(answer) };
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

it.each([
  [['get', 'pets'], 'GET /v1/pets'],
  [['GET', '/v1/pets?limit=2'], 'GET /v1/pets?limit=2'],
  [['Get', 'v1/pets'], 'GET /v1/pets'],
  [['GET', '//pets'], 'GET /v1/pets'],
  [['get', 'v1x'], 'GET /v1/v1x'],
  [['get', 'pets', '-f', 'limit=2', '-f', 'id=1', '-f', 'id=2'], 'GET /v1/pets?limit=2&id=1&id=2'],
  [['get', 'pets?limit=2&id=1', '-f', 'limit=3'], 'GET /v1/pets?limit=3&id=1'],
  [['get', 'pets?q=a b%20c#d'], 'GET /v1/pets?q=a+b+c%23d'],
  [['get', 'pets/..a/.b/c.'], 'GET /v1/pets/..a/.b/c.'],
  [['get', 'pets/{a}#b'], 'GET /v1/pets/%7Ba%7D%23b'],
  [['post', 'pets?dryRun=true', '-f', 'name=a'], 'POST /v1/pets?dryRun=true {"name":"a"}'],
  [
    ['delete', 'store/orders/1', '-f', 'dryRun=true', '--yes'],
    'DELETE /v1/store/orders/1?dryRun=true',
  ],
  [
    ['delete', 'store/orders/1', '-f', 'reason=none left', '--yes'],
    'DELETE /v1/store/orders/1?reason=none+left',
  ],
  [
    ['post', 'pets', '-f', 'name=Rex = 2', '-f', 'categoryId=1', '-f', 'status=null'],
    'POST /v1/pets {"name":"Rex = 2","categoryId":1,"status":null}',
  ],
  [
    ['put', 'pets', '-f', 'name="123"', '-f', 'tags=["a",1]', '-f', 'code=007', '-f', 'note={'],
    'PUT /v1/pets {"name":"123","tags":["a",1],"code":"007","note":"{"}',
  ],
  [
    ['patch', 'pets/1', '--data', '{"name":"A","status":"sold"}', '-f', 'name=B'],
    'PATCH /v1/pets/1 {"name":"B","status":"sold"}',
  ],
])('petstore api %j sends %s', async (words, request) => {
  const sent: string[] = [];
  const env = await answering(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    sent.push(`${req.method} ${req.url} ${body}`.trim());
    if (req.method === 'DELETE') res.writeHead(204).end();
    else res.end('[]');
  });
  const { code, stderr } = await runPetstore(['api', ...words], { env });
  expect([code, stderr, sent]).toEqual([0, '', [request]]);
});

it.each([
  [['pets'], 'usage: petstore api'],
  [['fetch', 'pets'], 'usage: petstore api'],
  [['post', 'pets', '-f', 'name'], '-f name: it is KEY=VALUE'],
  [['post', 'pets', '-f', 'name=x', '--data', '[1]'], 'not to an array'],
  [['post', 'pets', '--paginate'], '--paginate is for GET alone'],
  [['delete', 'pets/1', '--yes', '--data', '{}'], 'DELETE takes no --data'],
  [['get', 'http://127.0.0.1:8080/v1/pets'], 'PATH begins below the base URL'],
  [['get', 'pets/../../healthz'], 'PATH must not have . or ..'],
  [['get', '/v1/%2E%2e/healthz?a=b'], 'PATH must not have . or ..'],
  [['get', '..\\healthz'], 'PATH must not have . or ..'],
  [['get', 'pets', '--fields', 'id'], 'leave out -o and --fields'],
  [['get', 'pets', '-o', 'csv'], 'leave out -o and --fields'],
])('petstore api %j is refused before anything is sent', async (words, message) => {
  let requests = 0;
  const env = await answering((_, res) => {
    requests += 1;
    res.end('[]');
  });
  const { code, stderr } = await runPetstore(['api', ...words], { env });
  expect([code, requests]).toEqual([2, 0]);
  expect(stderr).toContain(message);
});

it('petstore api --paginate prints the records of all pages as one array', async () => {
  const sent: string[] = [];
  const env = await answering(({ url }, res) => {
    sent.push(url!);
    const next = { link: `</v1/pets?limit=2&name=a&cursor=c${sent.length}>; rel="next"` };
    res.writeHead(200, sent.length < 3 ? next : {}).end(JSON.stringify([{ page: sent.length }]));
  });
  const args = ['api', 'get', 'pets?limit=2', '-f', 'name=a', '--paginate'];
  const { code, stdout } = await runPetstore(args, { env });
  expect([code, JSON.parse(stdout)]).toEqual([0, [{ page: 1 }, { page: 2 }, { page: 3 }]]);
  expect(sent).toEqual([
    '/v1/pets?limit=2&name=a',
    '/v1/pets?limit=2&name=a&cursor=c1',
    '/v1/pets?limit=2&name=a&cursor=c2',
  ]);
  const empty = await answering((_, res) => void res.end('[]'));
  const none = await runPetstore(['api', 'get', 'pets', '--paginate'], { env: empty });
  expect(none.stdout).toBe('[]\n');
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
  const message = `What answered at ${env.PETSTORE_BASE_URL}/v1/pets does not look like the Pet Store API: HTTP 418: <html>`;
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
  expect(stderr).toMatch(/^(petstore: \P{Cc}+\n)+$/u);
});

it('an id of a request that is no word of a shell is in no command to paste', async () => {
  const body = JSON.stringify({ ...refusal, requestId: 'r1; reboot' });
  const env = await answering((_, res) => void res.writeHead(409).end(body));
  const { code, stderr } = await runPetstore(['pets', 'list'], { env });
  expect([code, stderr]).toEqual([1, expect.not.stringContaining('look it up')]);
});
