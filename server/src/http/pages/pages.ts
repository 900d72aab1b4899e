// The pages beside /v1, which are not metered: the front page, the reference, the contract, health and metrics.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ERRORS_PATH, GUIDE_PATH } from '../../contract/links.ts';
import { openApi31, openApiDocument } from '../../contract/openapi.ts';
import { Refusal } from '../../domain/errors.ts';
import { once } from '../../lib/once.ts';
import type { Dependencies, Operation } from '../../operations/operation.ts';
import type { ReadHealth } from '../../services/health-check.ts';
import type { StorageHealth } from '../../services/storage-health.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { JSON_TYPE } from '../response/headers.ts';
import { CONSOLE_FOLDER, CONSOLE_PATH, hasConsole, registerConsole } from './console.ts';
import { registerDocs } from './docs.ts';
import { errorsPage, frontPage, guidePage } from './html-pages.ts';
import { FONT_PATH, ICON, ICON_PATH, PAGE_POLICY } from './layout.ts';
import { addPage, addPageHandler, answerVerbose, HTML_TYPE, isVerbose } from './page.ts';

export interface PagesOptions {
  operations: readonly Operation[];
  storageHealth: StorageHealth;
  readHealth: ReadHealth;
  metrics: Metrics;
  /** Whether the process is about to stop. */
  isDraining: () => boolean;
  deps: Pick<Dependencies, 'isConsoleOpen'>;
  /** The folder of the built console; where its build writes it if absent. */
  consoleFolder?: string;
}

export function registerPages(app: FastifyInstance, options: PagesOptions): void {
  const document = once(() => openApiDocument(options.operations));
  const json = once(() => JSON.stringify(document()));
  // YAML 1.1 takes plain dates for times, and many tools read no other version.
  const yaml = once(async () =>
    (await import('yaml')).stringify(document(), { compat: 'yaml-1.1' }),
  );
  const { metrics } = options;
  const { consoleFolder = CONSOLE_FOLDER, deps } = options;
  if (deps.isConsoleOpen && hasConsole(consoleFolder)) {
    registerConsole(app, consoleFolder);
    addPageHandler(app, '/', async (reply) => reply.redirect(CONSOLE_PATH));
  } else {
    addPageHandler(app, '/', (reply) => sendFrontPage(reply, options));
  }
  addPage(app, '/openapi.json', { type: JSON_TYPE, text: json });
  addPage(app, '/openapi-3.1.json', {
    type: JSON_TYPE,
    text: once(() => JSON.stringify(openApi31(document()))),
  });
  addPage(app, '/openapi.yaml', { type: 'application/yaml; charset=utf-8', text: yaml });
  addPage(app, '/metrics', { type: metrics.contentType, text: () => metrics.text() });
  addPage(app, '/healthz', { type: JSON_TYPE, text: () => '{"status":"ok"}' });
  addPageHandler(app, '/readyz', (reply) => answerReady(reply, options));
  addFont(app, consoleFolder);
  addPage(app, ICON_PATH, { type: 'image/svg+xml', text: () => ICON });
  addHtmlPage(app, GUIDE_PATH, guidePage);
  addHtmlPage(app, ERRORS_PATH, errorsPage);
  registerDocs(app);
}

function addHtmlPage(app: FastifyInstance, path: string, text: () => string): void {
  const headers = { 'content-security-policy': PAGE_POLICY };
  addPage(app, path, { type: HTML_TYPE, text: once(text), headers });
}

/** The font of the console, under a name without the hash of its build. */
function addFont(app: FastifyInstance, consoleFolder: string): void {
  const font = once(async () => {
    const names = await readdir(consoleFolder).catch(() => []);
    const name = names.find((each) => /^inter-.*\.woff2$/.test(each));
    return name === undefined ? undefined : readFile(join(consoleFolder, name));
  });
  addPageHandler(app, FONT_PATH, async (reply) => {
    const bytes = await font();
    if (!bytes) throw new Refusal('not_found');
    return reply
      .headers({ 'content-type': 'font/woff2', 'cache-control': 'public, max-age=86400' })
      .send(bytes);
  });
}

async function sendFrontPage(reply: FastifyReply, options: PagesOptions): Promise<FastifyReply> {
  const { protocol, host } = reply.request;
  const isReady = await isServing(options);
  const text = frontPage({
    origin: `${protocol}://${host}`,
    isReady,
    operations: options.operations,
  });
  return reply
    .headers({ 'content-type': HTML_TYPE, 'content-security-policy': PAGE_POLICY })
    .send(text);
}

async function answerReady(reply: FastifyReply, options: PagesOptions): Promise<FastifyReply> {
  if (isVerbose(reply.request)) {
    const isReady = await isServing(options);
    return answerVerbose(reply, { isReady, readHealth: options.readHealth });
  }
  await checkReady(options);
  return reply.header('content-type', JSON_TYPE).send('{"status":"ready"}');
}

function isServing(options: PagesOptions): Promise<boolean> {
  return checkReady(options).then(
    () => true,
    () => false,
  );
}

/** Throws unless the service can answer requests. The limiter is not checked: it can always decide. */
async function checkReady({ isDraining, storageHealth }: PagesOptions): Promise<void> {
  if (isDraining()) throw new Refusal('unavailable', { message: 'The service is stopping.' });
  await storageHealth.check();
}
