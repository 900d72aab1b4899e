import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openAgents, Sender } from '../../src/webhooks/sender.ts';
import { Targets } from '../../src/webhooks/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { rawReceiver } from './receivers.ts';

const HOST = 'hooks.example';
const folder = temporaryFolder();
afterAll(() => folder.remove());
const inFolder = (name: string) => join(folder.path, name);
const read = (name: string) => readFileSync(inFolder(name), 'utf8');
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });

/** Makes `<name>.key` and a request for a certificate of the host. */
function makeKey(name: string, host: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', inFolder(`${name}.key`), '-out', inFolder(`${name}.csr`)];
  openssl('req', ...key, ...files, '-subj', `/CN=${host}`);
}

/** Makes `<name>.crt`, signed by `signer`, or by itself. `end` is when it expires. */
function makeCertificate(
  name: string,
  { host = HOST, signer = 'ca', end = '20991231235959Z' } = {},
): void {
  makeKey(name, host);
  writeFileSync(inFolder('index'), '');
  writeFileSync(inFolder('ca.cnf'), authority(host));
  const signing =
    signer === name
      ? ['-selfsign', '-keyfile', inFolder(`${name}.key`)]
      : ['-cert', inFolder(`${signer}.crt`), '-keyfile', inFolder(`${signer}.key`)];
  const dates = ['-startdate', '20200101000000Z', '-enddate', end];
  const files = ['-in', inFolder(`${name}.csr`), '-out', inFolder(`${name}.crt`)];
  const config = ['-config', inFolder('ca.cnf'), '-batch', '-notext', '-rand_serial'];
  openssl('ca', ...config, ...signing, ...dates, ...files);
}

function authority(host: string): string {
  return `[ca]\ndefault_ca=here\n[here]\ndatabase=${inFolder('index')}\nnew_certs_dir=${folder.path}
serial=${inFolder('serial')}\ndefault_md=sha256\npolicy=any\nx509_extensions=ext\nunique_subject=no\n[any]\ncommonName=supplied
[ext]\nsubjectAltName=DNS:${host}\nbasicConstraints=${host === 'test authority' ? 'CA:TRUE' : 'CA:FALSE'}\n`;
}

beforeAll(() => {
  makeCertificate('ca', { host: 'test authority', signer: 'ca' });
  makeCertificate('good');
  makeCertificate('expired', { end: '20200102000000Z' });
  makeCertificate('other-name', { host: 'other.example' });
  makeCertificate('own', { signer: 'own' });
  setDefaultCACertificates([read('ca.crt')]);
});

async function deliverTo(name: string, options: ServerOptions = {}) {
  const received: string[] = [];
  const settings = { key: read(`${name}.key`), cert: read(`${name}.crt`), ...options };
  const server = createServer(settings, async (request, response) => {
    for await (const chunk of request) received.push(String(chunk));
    response.end();
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { ...(await send(port)), received };
}

async function send(port: number) {
  const agents = openAgents();
  onTestFinished(() => agents.close());
  const targets = new Targets(['127.0.0.0/8'], async () => ['127.0.0.1']);
  const url = `https://${HOST}:${port}/`;
  return new Sender(targets).send({ url, headers: {}, body: 'secret body', agents });
}

it('delivers over TLS to the host that the certificate names', async () => {
  const { outcome, received } = await deliverTo('good');
  expect([outcome, received]).toEqual(['delivered', ['secret body']]);
});

it.each(['expired', 'other-name', 'own'])(
  'sends no body under a certificate that is %s',
  async (name) => {
    const { outcome, received } = await deliverTo(name);
    expect([outcome, received]).toEqual(['tls', []]);
  },
);

it('sends no body over TLS 1.0 or 1.1', async () => {
  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    const old = {
      minVersion: 'TLSv1',
      maxVersion: version,
      ciphers: 'DEFAULT:@SECLEVEL=0',
    } as const;
    const { outcome, received } = await deliverTo('good', old);
    expect([outcome, received]).toEqual(['tls', []]);
  }
});

it('sends no body to a receiver that does not speak TLS', async () => {
  const seen: Buffer[] = [];
  const plain = await rawReceiver((socket) =>
    socket.on('data', (data: Buffer) => {
      seen.push(data);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    }),
  );
  expect((await send(plain.port)).outcome).toBe('tls');
  expect(Buffer.concat(seen).includes('secret body')).toBe(false);
});
