// What a callback of the caller throws is the caller's own error: it is no failed connection.

import { describe, expect, it } from 'vitest';
import { Petstore } from '../src/petstore.ts';
import { type ScriptedResponse, scriptedFetch } from '../src/testing.ts';

const order = { id: 1, petId: 1, quantity: 1, complete: false };
const baseUrl = 'http://store.test/v1';

function throwing(err: Error): () => never {
  return () => {
    throw err;
  };
}

describe('what a callback throws', () => {
  it('of onDeprecated reaches the caller as it is, and nothing is sent again', async () => {
    const deprecated: ScriptedResponse = {
      body: { id: 1 },
      headers: { deprecation: '@1', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' },
    };
    const fetch = scriptedFetch([deprecated, { body: { id: 1 } }]);
    const own = new Error('The log is full.');
    const options = { apiKey: 'psk_test', baseUrl, fetch, onDeprecated: throwing(own) };
    await expect(new Petstore(options).webhooks.get(1)).rejects.toBe(own);
    expect(fetch.requests).toHaveLength(1);
  });

  it('of onRequest reaches the caller as it is, and nothing is sent again', async () => {
    const own = new Error('The log is full.');
    for (const first of [{ body: order }, { status: 503 }, new TypeError('fetch failed')]) {
      const fetch = scriptedFetch([first, { body: order }]);
      const options = { apiKey: 'psk_test', baseUrl, fetch, onRequest: throwing(own) };
      await expect(new Petstore(options).orders.get(1)).rejects.toBe(own);
      expect(fetch.requests).toHaveLength(1);
    }
  });
});
