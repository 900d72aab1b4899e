// The pages beside /v1, which are not metered: the front page, the reference, the contract, health and metrics.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { openApiDocument } from '../../contract/openapi.ts';
import type { Datastore } from '../../datastore/datastore.ts';
import { Refusal } from '../../domain/errors.ts';
import { once } from '../../lib/once.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { JSON_TYPE } from '../response/headers.ts';
import { registerDocs } from './docs.ts';
import { addPage, addPageHandler, HTML_TYPE } from './page.ts';

export interface PagesOptions {
  operations: readonly Operation[];
  store: Datastore;
  limiter: Limiter;
  metrics: Metrics;
  isDraining: () => boolean;
}

const FRONT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pet Store</title>
<h1>Pet Store</h1>
<p>The service a pet store runs on: pets, categories, stock and orders, behind API keys with plans and limits.</p>
<ul>
<li><a href="/docs">Interactive reference</a></li>
<li>The contract, OpenAPI 3.0.3: <a href="/openapi.json">JSON</a>, <a href="/openapi.yaml">YAML</a></li>
<li>The API itself: <code>/v1</code>, with <code>Authorization: Bearer &lt;API_KEY&gt;</code></li>
</ul>
</html>
`;

export function registerPages(app: FastifyInstance, options: PagesOptions): void {
  const document = once(() => openApiDocument(options.operations));
  const json = once(() => JSON.stringify(document()));
  const yaml = once(async () => (await import('yaml')).stringify(document()));
  const { metrics } = options;
  addPage(app, '/', { type: HTML_TYPE, text: () => FRONT_PAGE });
  addPage(app, '/openapi.json', { type: JSON_TYPE, text: json });
  addPage(app, '/openapi.yaml', { type: 'application/yaml; charset=utf-8', text: yaml });
  addPage(app, '/metrics', { type: metrics.contentType, text: () => metrics.text() });
  addPage(app, '/healthz', { type: JSON_TYPE, text: () => '{"status":"ok"}' });
  addPageHandler(app, '/readyz', (reply) => answerReady(reply, options));
  registerDocs(app);
}

async function answerReady(reply: FastifyReply, options: PagesOptions): Promise<FastifyReply> {
  if (options.isDraining()) {
    throw new Refusal('unavailable', { message: 'The service is stopping.' });
  }
  await options.store.ping();
  await options.limiter.ping();
  return reply.header('content-type', JSON_TYPE).send('{"status":"ready"}');
}
