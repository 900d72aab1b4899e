import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumArgs, findChromium } from '../../scripts/test-support/chromium.ts';
import { type TestApp, testApp } from '../../server/test/support/app.ts';
import type * as Client from '../src/petstore.ts';

/** The global that the bundle makes in the page. */
declare const client: typeof Client;

let app: TestApp;
let limited: TestApp;
let browser: Browser;
let page: Page;

/** Serves a page with the client on an origin of its own. */
async function servePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/petstore.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    globalName: 'client',
    platform: 'browser',
    write: false,
  });
  const html = `<!doctype html><title>Shop</title><script>${outputFiles[0]!.text}</script>`;
  const server = createServer((_, res) =>
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  afterAll(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  const origin = await servePage();
  const environment = { PETSTORE_CORS_ORIGINS: origin };
  app = await testApp({ engine: 'sqlite', environment });
  const limits = { perMinute: 2, perDay: 1_000 };
  limited = await testApp({ engine: 'sqlite', environment, limits });
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumArgs] });
  page = await browser.newPage();
  await page.goto(origin);
});
afterAll(() => browser?.close());

describe('the client in a page of another origin', () => {
  it('lists and places, and reads a conflict', async () => {
    const options = { apiKey: app.key, baseUrl: `${app.address}/v1` };
    const seen = await page.evaluate(async (given) => {
      const { Petstore, ConflictError } = client;
      const store = new Petstore(given);
      const names: string[] = [];
      for await (const pet of store.pets.list({ status: 'available' })) names.push(pet.name);
      const placed = await store.orders.place({ petId: 1 }).withResponse();
      const err = await store.orders.place({ petId: 1 }).catch((error: unknown) => error);
      const { code, status, details, requestId } = err as Client.ConflictError;
      return {
        names,
        order: placed.data.petId,
        remaining: placed.rateLimit?.remaining,
        conflict: { isConflict: err instanceof ConflictError, code, status, details, requestId },
      };
    }, options);
    expect(seen).toEqual({
      names: ['Rex'],
      order: 1,
      remaining: expect.any(Number),
      conflict: {
        isConflict: true,
        code: 'insufficient_stock',
        status: 409,
        details: expect.objectContaining({ available: 0 }),
        requestId: expect.any(String),
      },
    });
  });

  it('reads when to come back from a 429', async () => {
    const options = { apiKey: limited.key, baseUrl: `${limited.address}/v1`, maxRetries: 0 };
    const refused = await page.evaluate(async (given) => {
      const { Petstore } = client;
      // Each client learns of the limit by itself, so the third one sends its request.
      for (let n = 0; n < 2; n++) await new Petstore(given).pets.list();
      const err = await new Petstore(given).pets.list().catch((error: unknown) => error);
      const { code, status, retryAfterSeconds, isLocal } = err as Client.RateLimitError;
      return { code, status, retryAfterSeconds, isLocal };
    }, options);
    expect(refused).toMatchObject({ code: 'rate_limit_exceeded', status: 429, isLocal: false });
    expect(refused.retryAfterSeconds).toBeGreaterThan(0);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(60);
  });
});
