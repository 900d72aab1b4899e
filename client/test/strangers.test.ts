// What answers is not the service: a page of a proxy, a portal of a hotel, another program at the URL.

import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newCertificate } from '../../server/test/support/certificate.ts';
import { Petstore, PetstoreError } from '../src/petstore.ts';
import { fakeService } from './support/fake-service.ts';
import { runPetstore } from './support/run-petstore.ts';

const PLACE =
  /^What answered at http:\/\/127\.0\.0\.1:\d+\/v1\/\S+ does not look like the Pet Store API: /;

/** A server that is no pet store. */
async function stranger(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the client refuses', () => {
  const list = (store: Petstore) => store.pets.list();
  const read = (store: Petstore) => store.orders.get(1);
  const place = (store: Petstore) => store.orders.place({ petId: 1 });
  const cancel = (store: Petstore) => store.orders.cancel(1);

  it.each([
    ['a list', 200, '{"pets":[]}', list],
    ['a list', 200, '[1,null]', list],
    ['a list', 204, '', list],
    ['a read', 200, '<html>login</html>', read],
    ['a read', 200, '', read],
    ['a read', 200, 'null', read],
    ['a read', 200, '7', read],
    ['a read', 200, '[1,null]', read],
    ['a read', 204, '', read],
    ['a read', 304, '', read],
    ['a write', 204, '', place],
    ['a write', 200, '["ok"]', place],
    ['a deletion', 200, '{"status":"ok"}', cancel],
    ['a deletion', 200, '', cancel],
  ])(
    '%s that is answered with %d %j, names the URL, and sends no more',
    async (_, status, text, send) => {
      const answer = vi.fn<RequestListener>((_, res) => void res.writeHead(status).end(text));
      const store = new Petstore({ apiKey: 'psk_test', baseUrl: await stranger(answer) });
      const err = await send(store).catch((error: unknown) => error);
      expect(err).toBeInstanceOf(PetstoreError);
      expect(err).toMatchObject({ code: 'unexpected_answer', status });
      expect((err as Error).message).toMatch(PLACE);
      expect((err as Error).message).toContain(`HTTP ${status}: ${text}`);
      expect(answer).toHaveBeenCalledOnce();
    },
  );

  it('a page of a proxy, of which it shows the first 200 characters', async () => {
    const text = `<html>${'x'.repeat(400)}`;
    const fetch = (async () => new Response(text, { status: 403 })) as typeof globalThis.fetch;
    const err = await new Petstore({ fetch }).orders.get(1).catch((error: unknown) => error);
    const message = `What answered does not look like the Pet Store API: HTTP 403: ${text.slice(0, 200)}`;
    expect(err).toMatchObject({ code: 'unexpected_answer', message, requestId: undefined });
  });
});

describe('the command line', () => {
  /** Runs a command against a URL, with a key and with rows to read. */
  const petstore = (line: string, url: string) =>
    runPetstore([...line.split(' '), '--no-retry'], {
      env: { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: url, XDG_CONFIG_HOME: '/proc' },
      input: 'petId,quantity\n1,5\n',
    });

  it.each([
    'orders cancel 1 --yes',
    'orders place --pet-id 1',
    'orders get 1',
    'pets list',
    'stock take -',
    'audit export',
    'listen --from 0',
    'api GET /pets',
    'login',
  ])('takes no other program for the service: %s', async (line) => {
    const url = await stranger((_, res) => void res.end('{"id":1,"name":"Shop"}'));
    const { code, stdout, stderr } = await petstore(line, url);
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toMatch(
      /^petstore: What answered at http:\S+ does not look like the Pet Store/m,
    );
    expect(stderr).toContain('HTTP 200: it lacks the header X-API-Version. Check the URL.\n');
  });

  it.each([
    [
      'http://127.0.0.1:PORT/page',
      6,
      /: What answered at http:\S+:\d+\/page\/v1\/pets does not look like .+: HTTP 200: <!doctype html> Check the URL\.$/,
    ],
    ['http://127.0.0.1:PORT/none', 1, /: HTTP 404: <!doctype html> Check the URL\.$/],
    [
      'http://127.0.0.1:PORT/down',
      6,
      /: HTTP 502: <!doctype html> The service behind it is down or restarts\.$/,
    ],
    [
      'http://127.0.0.1:PORT/moved',
      6,
      /: unexpected redirect\. Use the URL that it redirects to, which may begin with https:\/\/\.$/,
    ],
    [
      'https://127.0.0.1:PORT',
      6,
      /could not be reached: [a-z ]+\. It does not speak TLS: begin the URL with http:\/\/\.$/,
    ],
    [
      'http://127.0.0.1:1',
      6,
      /could not be reached: .*\. Check the URL, and that the service is running there\.$/,
    ],
  ])(
    'names a URL that is not that of the service as the fault: %s',
    async (address, exitCode, message) => {
      const url = await fakeService((req, res) => {
        const path = req.url!;
        if (path.startsWith('/none')) res.statusCode = 404;
        if (path.startsWith('/down')) res.statusCode = 502;
        if (path.startsWith('/moved')) res.writeHead(301, { location: 'https://127.0.0.1:1/' });
        res.end('<!doctype html>');
      });
      const wrong = address.replace('PORT', new URL(url).port);
      const { code, stdout, stderr } = await petstore('pets list', wrong);
      expect([code, stdout]).toEqual([exitCode, '']);
      expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(message)]);
    },
  );

  it('says how to trust a private certificate authority', async () => {
    const server = createTlsServer(newCertificate()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await petstore('pets list', `https://localhost:${port}`);
    expect([code, stderr]).toEqual([6, expect.stringContaining('set NODE_EXTRA_CA_CERTS to')]);
  });
});
