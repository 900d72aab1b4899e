import type { FastifyInstance } from 'fastify';
import { addPage, HTML_TYPE } from './page.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

interface Assets {
  html: string;
  script: string;
}

/**
 * The interactive reference. Its script is several megabytes that no call of the API should pay for,
 * so it is loaded by the first visit. Nothing on the page comes from another host.
 */
export function registerDocs(app: FastifyInstance): void {
  let loading: Promise<Assets> | undefined;
  const assets = () => {
    loading ??= loadAssets();
    return loading;
  };
  addPage(app, '/docs', {
    type: HTML_TYPE,
    text: async () => (await assets()).html,
    headers: { 'content-security-policy': POLICY },
  });
  addPage(app, '/docs/scalar.js', {
    type: 'text/javascript; charset=utf-8',
    text: async () => (await assets()).script,
    headers: { 'cache-control': 'public, max-age=86400' },
  });
}

/** The package offers its page and script only as routes, so they are asked for once and kept. */
async function loadAssets(): Promise<Assets> {
  const { default: Fastify } = await import('fastify');
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const shelf = Fastify();
  await shelf.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      cdn: '/docs/scalar.js',
      pageTitle: 'Pet Store reference',
      telemetry: false,
      withDefaultFonts: false,
      agent: { disabled: true },
      showDeveloperTools: 'never',
    } as never,
  });
  const [page, script] = await Promise.all([
    shelf.inject('/docs/'),
    shelf.inject('/docs/js/scalar.js'),
  ]);
  await shelf.close();
  return { html: page.body, script: script.body };
}
