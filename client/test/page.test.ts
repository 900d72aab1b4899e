// In a page of the console there is no key: the browser sends its session along, and the base URL is a path.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConnectionError, Petstore } from '../src/petstore.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

function pageStore(respond: () => Promise<Response>) {
  vi.stubEnv('PETSTORE_API_KEY', undefined);
  const sent: { url: string; init: RequestInit }[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return respond();
  }) as typeof globalThis.fetch;
  const store = new Petstore({ apiKey: undefined, baseUrl: '/v1', fetch, maxRetries: 0 });
  return { store, sent };
}

describe('in a page', () => {
  it('requests go to a path, without a key', async () => {
    const { store, sent } = pageStore(async () => Response.json([]));
    await store.pets.list({ limit: 1 });
    await store.session.get();
    expect(sent.map(({ url }) => url)).toEqual(['/v1/pets?limit=1', '/v1/session']);
    for (const { init } of sent) {
      expect(new Headers(init.headers).has('authorization')).toBe(false);
      expect(init.credentials).toBeUndefined();
    }
  });

  it('a sign-in sends the key of this call alone', async () => {
    const { store, sent } = pageStore(async () => Response.json({}));
    await store.session.create({ headers: { authorization: 'Bearer psk_typed' } });
    await store.session.get();
    const keys = sent.map(({ init }) => new Headers(init.headers).get('authorization'));
    expect(keys).toEqual(['Bearer psk_typed', null]);
  });

  it('a lost connection is a ConnectionError', async () => {
    const { store } = pageStore(async () => {
      throw new TypeError('Failed to fetch');
    });
    await expect(store.pets.list()).rejects.toThrow(ConnectionError);
    await expect(store.pets.list()).rejects.toThrow('The service could not be reached.');
  });
});
