import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { once } from '../../lib/once.ts';
import { FONT_FACE, ICON_PATH } from './layout.ts';
import { addPage, addPageHandler, HTML_TYPE } from './page.ts';

interface Assets {
  html: string;
  script: string;
}

/** Stands in the page for the nonce of each response. */
const NONCE = 'nonce-of-the-response';

/**
 * Runs before the renderer. Requests that are tried out here carry the key that was typed here and never the session of
 * the console, which is of the same origin. Style sheets that the renderer and its editor insert get the nonce, and an
 * inline style is set as a property, because the policy refuses it as an attribute. Its checks (zod) need not try `eval`.
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
window.__zod_globalConfig = { jitless: true };
const { setAttribute } = Element.prototype;
Element.prototype.setAttribute = function (name, value) {
  if (name === 'style') this.style.cssText = value;
  else setAttribute.call(this, name, value);
};
</script>`;

/** The renderer in the colours, the font and the corners of the console, with its mark as our other pages have it. */
const LOOK = `${FONT_FACE}
:root { --scalar-font: "Inter Variable", system-ui, sans-serif; --scalar-radius: 6px; --scalar-radius-lg: 8px; --scalar-radius-xl: 12px }
h1::before { content: ""; display: inline-block; width: 3rem; height: 3rem; margin: .5rem 1rem 0 0; vertical-align: middle; background: url("${ICON_PATH}") center / contain no-repeat }
.light-mode { --scalar-color-1: #17181c; --scalar-color-2: #585c66; --scalar-color-3: #585c66; --scalar-color-accent: #0b6e63; --scalar-background-accent: #e2f2ef; --scalar-background-1: #ffffff; --scalar-background-2: #f5f5f6; --scalar-background-3: #e9e9ec; --scalar-border-color: #e3e3e7; --scalar-button-1: #0b6e63; --scalar-button-1-color: #ffffff; --scalar-button-1-hover: #085950 }
.dark-mode { --scalar-color-1: #f1f2f4; --scalar-color-2: #a0a6b0; --scalar-color-3: #a0a6b0; --scalar-color-accent: #3cc2ae; --scalar-background-accent: #12302c; --scalar-background-1: #0d0f12; --scalar-background-2: #15181c; --scalar-background-3: #20252c; --scalar-border-color: #272b32; --scalar-button-1: #3cc2ae; --scalar-button-1-color: #04211d; --scalar-button-1-hover: #5fd4c2 }
.light-mode .sidebar { --scalar-sidebar-background-1: #fbfbfc; --scalar-sidebar-item-active-background: #e9e9ec; --scalar-sidebar-color-active: #17181c }
.dark-mode .sidebar { --scalar-sidebar-background-1: #101215; --scalar-sidebar-item-active-background: #20252c; --scalar-sidebar-color-active: #f1f2f4 }`;

const configuration = {
  url: '/openapi.json',
  cdn: '/docs/scalar.js',
  nonce: NONCE,
  pageTitle: 'Pet Store reference',
  favicon: ICON_PATH,
  telemetry: false,
  withDefaultFonts: false,
  theme: 'default',
  customCss: LOOK,
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
