// A consumer's own tests: the client answers without a socket, with our scriptedFetch and with Mock Service Worker.

import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConflictError, Petstore } from '../src/petstore.ts';
import { scriptedFetch } from '../src/testing.ts';

const baseUrl = 'https://store.test/v1';
const conflict = {
  code: 'insufficient_stock',
  message: 'Too few.',
  status: 409,
  details: { available: 1 },
};

/** What a shop does with the client. */
async function buy(store: Petstore, petId: number, quantity: number): Promise<string> {
  try {
    return `order ${(await store.orders.place({ petId, quantity })).id}`;
  } catch (err) {
    if (!(err instanceof ConflictError && err.is('insufficient_stock'))) throw err;
    return `only ${err.details.available} left`;
  }
}

describe('a consumer is tested without a socket', () => {
  it('with scriptedFetch', async () => {
    const fetch = scriptedFetch([
      { status: 201, body: { id: 7 } },
      { status: 409, body: conflict },
    ]);
    const store = new Petstore({ apiKey: 'test', baseUrl, fetch });
    expect([await buy(store, 1, 1), await buy(store, 1, 9)]).toEqual(['order 7', 'only 1 left']);
    expect(await fetch.requests[1]!.json()).toEqual({ petId: 1, quantity: 9 });
  });

  describe('with MSW', () => {
    const server = setupServer(
      http.post(`${baseUrl}/store/orders`, async ({ request }) => {
        const { quantity } = (await request.json()) as { quantity: number };
        return quantity > 1
          ? HttpResponse.json(conflict, { status: 409 })
          : HttpResponse.json({ id: 7 }, { status: 201 });
      }),
    );
    beforeAll(() => server.listen());
    afterEach(() => server.resetHandlers());
    afterAll(() => server.close());

    it('as with scriptedFetch', async () => {
      const store = new Petstore({ apiKey: 'test', baseUrl });
      expect([await buy(store, 1, 1), await buy(store, 1, 9)]).toEqual(['order 7', 'only 1 left']);
    });
  });
});
