import { BlockList } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import type { ReadHealth } from '../../services/health-check.ts';
import { JSON_TYPE } from '../response/headers.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

interface Page {
  type: string;
  text: () => string | Promise<string>;
  /** Replace or add to the headers of all pages. */
  headers?: Record<string, string>;
}

export function addPage(app: FastifyInstance, path: string, { type, text, headers }: Page): void {
  addPageHandler(app, path, async (reply) =>
    reply.headers({ ...headers, 'content-type': type }).send(await text()),
  );
}

/** Serves a page for GET and HEAD, and refuses all other methods. */
export function addPageHandler(
  app: FastifyInstance,
  path: string,
  handle: (reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.get(path, (_, reply) => handle(reply));
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD'),
    url: path,
    // Before the body is parsed: its type does not matter here.
    onRequest: async ({ state }) => {
      state.headers.push('allow', 'GET, HEAD');
      throw new Refusal('method_not_allowed');
    },
    handler: () => undefined,
  });
}

interface VerboseOptions {
  /** Whether /readyz answers 200. */
  isReady: boolean;
  readHealth: ReadHealth;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether `/readyz?verbose` was asked for. */
export function isVerbose({ url }: FastifyRequest): boolean {
  return new URLSearchParams(url.split('?')[1]).has('verbose');
}

/** Answers what each part of the service is like, with the status of /readyz. */
export async function answerVerbose(
  reply: FastifyReply,
  { isReady, readHealth }: VerboseOptions,
): Promise<FastifyReply> {
  const parts = await readHealth();
  const isLocal = isFromThisMachine(reply.request);
  const shown = parts.map(({ hosts, ...part }) => (isLocal && hosts ? { ...part, hosts } : part));
  const isWell = parts.every(({ ok }) => ok);
  const status = !isReady ? 'unavailable' : isWell ? 'ready' : 'degraded';
  if (!isReady) reply.code(503).header('retry-after', '1');
  return reply
    .headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-store' })
    .send(JSON.stringify({ status, checks: shown }));
}

/** A request that a proxy on this machine has passed on comes from elsewhere. */
function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  const address = raw.socket.remoteAddress ?? '';
  return loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
