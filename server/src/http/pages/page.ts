import type { FastifyInstance, FastifyReply } from 'fastify';
import { Refusal } from '../../domain/errors.ts';

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
