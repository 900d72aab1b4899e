// A client may be gone when its request is recorded, or even when it is read: Node has no address for it then.

import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { testApp } from '../support/app.ts';

/** Loses the connection of a request, as a client does that is killed. */
function lose(socket: Socket): void {
  socket.destroy();
}

/** As with a client that is gone before its connection is accepted. */
function loseAddress(socket: Socket): void {
  Object.defineProperty(socket, 'remoteAddress', { value: undefined });
  socket.destroy();
}

/** Longer than the log waits for further requests. */
const WAIT = { timeout: 60_000, interval: 50 };

describe.each([
  ['not behind a proxy', {}],
  ['behind a proxy', { PETSTORE_TRUST_PROXY: '10.0.0.1' }],
])('a client that vanishes, %s', (_, environment) => {
  it.each([
    ['when its request arrives', lose, '127.0.0.0/24'],
    ['before it', loseAddress, ''],
  ])(
    '%s: its change is kept, its request is logged and the service goes on',
    async (_, leave, address) => {
      const app = await testApp({ engine: 'sqlite', environment });
      const key = await app.addKey(['write']);
      app.server.server.prependListener('request', ({ url, socket }) => {
        if (url === '/v1/categories') leave(socket);
      });
      const body = { name: 'Dogs' };
      await expect(app.call('POST', '/v1/categories', { body, key })).rejects.toThrow();
      await expect(app.call('POST', '/v1/categories', { body, key: null })).rejects.toThrow();
      const logged = async (query: string) =>
        (await app.call('GET', `/v1/admin/requests?operationId=createCategory${query}`)).body;
      await vi.waitFor(async () => {
        expect(await logged('&workspaceId=1')).toMatchObject([{ status: 201, address }]);
        expect(await logged('')).toMatchObject([{ status: 401, address }]);
      }, WAIT);
      const { body: events } = await app.call('GET', '/v1/events?after=0&type=category.created');
      expect(events).toHaveLength(1);
    },
  );
});
