import type { FastifyInstance } from 'fastify';

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
  app.get('/docs', async (_, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .send((await assets()).html),
  );
  app.get('/docs/scalar.js', async (_, reply) =>
    reply
      .header('content-type', 'text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send((await assets()).script),
  );
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
