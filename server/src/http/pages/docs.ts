import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { once } from '../../lib/once.ts';
import { ICON_PATH } from './layout.ts';
import { addPage, addPageHandler, HTML_TYPE } from './page.ts';

interface Assets {
  html: string;
  script: string;
}

/** Stands in the page for the nonce of each response. */
const NONCE = 'nonce-of-the-response';

/**
 * Runs before the renderer. Requests that are tried out here carry the key that was typed here and never the session of
 * the console, which is of the same origin. Style sheets that the renderer and its editor insert get the nonce.
 */
const FIRST_SCRIPT = `<script nonce="${NONCE}">
const send = window.fetch;
window.fetch = (input, init) => send(input, { ...init, credentials: 'omit' });
const createElement = document.createElement;
document.createElement = function (name, ...options) {
  const element = createElement.call(this, name, ...options);
  if (name === 'style') element.nonce = '${NONCE}';
  return element;
};
</script>`;

const configuration = {
  url: '/openapi.json',
  cdn: '/docs/scalar.js',
  nonce: NONCE,
  pageTitle: 'Pet Store reference',
  favicon: ICON_PATH,
  telemetry: false,
  withDefaultFonts: false,
  // Services of the renderer's vendor, which cannot reach this one.
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  defaultOpenAllTags: false,
  documentDownloadType: 'none',
};

/**
 * The interactive reference. Its script is several megabytes that no call of the API should pay for, so the first visit
 * loads it. Nothing on the page comes from another host.
 */
export function registerDocs(app: FastifyInstance): void {
  const assets = once(loadAssets);
  addPageHandler(app, '/docs', async (reply) => {
    const { html } = await assets();
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .headers({ 'content-type': HTML_TYPE, 'content-security-policy': policyWith(nonce) })
      .send(html.replaceAll(NONCE, nonce));
  });
  addPage(app, '/docs/scalar.js', {
    type: 'text/javascript; charset=utf-8',
    text: async () => (await assets()).script,
    headers: { 'cache-control': 'public, max-age=86400' },
  });
}

/** Without the nonce of the response no script runs and no style sheet applies. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The package has its page and script only as routes of a plugin, so they are requested from it once. */
async function loadAssets(): Promise<Assets> {
  const { default: Fastify } = await import('fastify');
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const source = Fastify();
  await source.register(reference, {
    routePrefix: '/docs',
    configuration: configuration as never,
  });
  const [page, script] = await Promise.all([
    source.inject('/docs/'),
    source.inject('/docs/js/scalar.js'),
  ]);
  await source.close();
  return { html: page.body.replace('<head>', `<head>${FIRST_SCRIPT}`), script: script.body };
}
