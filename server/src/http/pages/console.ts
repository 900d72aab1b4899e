// Serves the console from the folder that its build writes. A file is read when it is first asked for and then kept in
// memory; the build has compressed it already. The folder also has the files of builds of the last day, for pages that
// were loaded before an upgrade.

import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import { matchesWeakly } from '../request/conditions.ts';
import { pathIn } from '../request/url.ts';
import { weightsOf } from '../request/weights.ts';
import { addPageHandler } from './page.ts';

export const CONSOLE_PATH = '/console';
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../../console/dist', import.meta.url));
const INDEX = 'index.html';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** A file whose name holds a hash of its content never changes. */
const HASHED = /-[A-Z0-9]{8}\.\w+$/;
const NAME = /^[\w-]+(\.[\w-]+)+$/;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The features that a permissions policy can name. The console needs none but writing to the clipboard. */
const features =
  'accelerometer autoplay camera clipboard-read display-capture encrypted-media fullscreen gamepad geolocation gyroscope hid idle-detection keyboard-map local-fonts magnetometer microphone midi otp-credentials payment picture-in-picture publickey-credentials-create publickey-credentials-get screen-wake-lock serial storage-access usb window-management xr-spatial-tracking';

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': features
    .split(' ')
    .map((feature) => `${feature}=()`)
    .join(', '),
};

interface StoredFile {
  type: string;
  isImmutable: boolean;
  etag: string;
  /** By content coding; `identity` is always there. */
  bodies: Map<string, Buffer>;
}

/** Whether there is a console in the folder. */
export function hasConsole(folder: string): boolean {
  return existsSync(join(folder, INDEX));
}

export function registerConsole(app: FastifyInstance, folder: string): void {
  const files = new ConsoleFiles(folder);
  const send = async (reply: FastifyReply) => {
    const path = pathIn(reply.request.url).slice(CONSOLE_PATH.length + 1);
    const file = (await files.find(path)) ?? (await files.find(INDEX));
    // A file that is not there is not a screen.
    const isFile = NAME.test(path) || extname(path) in types;
    if (!file || (isFile && path !== INDEX && file.type === types['.html'])) {
      throw new Refusal('not_found');
    }
    return sendFile(reply, file);
  };
  addPageHandler(app, CONSOLE_PATH, send);
  addPageHandler(app, `${CONSOLE_PATH}/*`, send);
}

function sendFile(reply: FastifyReply, file: StoredFile): FastifyReply {
  const { headers } = reply.request;
  const weights = weightsOf(headers['accept-encoding'] ?? '');
  const coding = ['br', 'gzip'].find((each) => file.bodies.has(each) && weights.get(each));
  const etag = `"${file.etag}${coding ? `-${coding}` : ''}"`;
  reply.headers({
    ...HEADERS,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
  });
  const known = headers['if-none-match'];
  if (known && matchesWeakly(known, etag)) return reply.code(304).send();
  reply.header('content-type', file.type);
  if (coding) reply.header('content-encoding', coding);
  return reply.send(file.bodies.get(coding ?? 'identity'));
}

class ConsoleFiles {
  readonly #folder: string;
  readonly #files = new Map<string, Promise<StoredFile | undefined>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined where there is no such file. Only files that exist are remembered. */
  find(name: string): Promise<StoredFile | undefined> {
    const type = types[extname(name)];
    if (!type || !NAME.test(name)) return Promise.resolve(undefined);
    let file = this.#files.get(name);
    if (!file) {
      file = this.#read(name, type);
      this.#files.set(name, file);
      const forget = () => this.#files.delete(name);
      file.then((found) => found ?? forget()).catch(forget);
    }
    return file;
  }

  async #read(name: string, type: string): Promise<StoredFile | undefined> {
    const [identity, br, gzip] = await Promise.all(
      ['', '.br', '.gz'].map((suffix) => readIfThere(join(this.#folder, `${name}${suffix}`))),
    );
    if (!identity) return undefined;
    const bodies = new Map([['identity', identity]]);
    if (br) bodies.set('br', br);
    if (gzip) bodies.set('gzip', gzip);
    const etag = hash('sha256', identity, 'base64url').slice(0, 22);
    return { type, isImmutable: HASHED.test(name), etag, bodies };
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw err;
  }
}
