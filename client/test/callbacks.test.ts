// What a callback of the caller throws does not change the outcome of a call: the order is placed.

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Petstore } from '../src/petstore.ts';
import { type ScriptedResponse, scriptedFetch } from '../src/testing.ts';

const order = { id: 1, petId: 1, quantity: 1, complete: false };
const options = { apiKey: 'psk_test', baseUrl: 'http://store.test' };
const own = new Error('The log is full.');
const throwing = () => {
  throw own;
};
const deprecated: ScriptedResponse = {
  body: order,
  headers: { deprecation: '@1', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' },
};

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
});

describe('what a callback throws', () => {
  it('of onRequest is written to the console, and the order is placed once', async () => {
    const fetch = scriptedFetch([{ status: 201, body: order }]);
    const store = new Petstore({ ...options, fetch, onRequest: throwing });
    expect(await store.orders.place({ petId: 1 })).toEqual(order);
    expect(fetch.requests).toHaveLength(1);
    expect(console.error).toHaveBeenCalledExactlyOnceWith(own);
  });

  it('of onRequest does not hide what failed', async () => {
    const fetch = scriptedFetch([{ status: 404, body: { code: 'not_found', message: 'No.' } }]);
    const store = new Petstore({ ...options, fetch, onRequest: throwing });
    await expect(store.orders.get(1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of onDeprecated is written to the console, too', async () => {
    const fetch = scriptedFetch([deprecated]);
    const store = new Petstore({ ...options, fetch, onDeprecated: throwing });
    expect(await store.orders.get(1)).toEqual(order);
    expect(console.error).toHaveBeenCalledExactlyOnceWith(own);
  });
});

describe('a deprecated operation', () => {
  it('is reported to onDeprecated with every call', async () => {
    const onDeprecated = vi.fn();
    const fetch = scriptedFetch({ 'GET /store/orders/{orderId}': deprecated });
    const store = new Petstore({ ...options, fetch, onDeprecated });
    await store.orders.get(1);
    await store.orders.get(2);
    expect(onDeprecated).toHaveBeenCalledTimes(2);
    expect(onDeprecated.mock.calls[1]![0]).toMatchObject({
      operation: 'GET /store/orders/{orderId}',
    });
    expect(console.warn).not.toHaveBeenCalled();
  });

  it('is warned of on the console once per process', async () => {
    const fetch = scriptedFetch({ 'GET /webhooks/{webhookId}': deprecated });
    for (const store of [
      new Petstore({ ...options, fetch }),
      new Petstore({ ...options, fetch }),
    ]) {
      await store.webhooks.get(1);
      await store.webhooks.get(2);
    }
    expect(console.warn).toHaveBeenCalledOnce();
  });
});
