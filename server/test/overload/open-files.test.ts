import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Service } from '../../../torture/service.ts';
import { newStore } from '../../../torture/store.ts';

const FILES_MAX = 64;

it('survives more connections than it may open files, and serves again when they are gone', async () => {
  const store = await newStore();
  onTestFinished(store.remove);
  const wrapper = ['bash', '-c', `ulimit -n ${FILES_MAX} && exec "$0" "$@"`];
  const service = await Service.start({ environment: store.environment, wrapper });
  onTestFinished(() => void service.signal('SIGKILL'));
  const sockets: Socket[] = [];
  for (let index = 0; index < FILES_MAX * 2; index += 1) {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  }
  await vi.waitUntil(() => sockets.some((socket) => socket.destroyed), { timeout: 30_000 });
  expect(service.isRunning).toBe(true);
  for (const socket of sockets) socket.destroy();
  const status = await createdStatus(service.port, store.apiKey);
  expect(status).toBe(201);
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

/** The status of a write, as soon as the service accepts connections again. */
async function createdStatus(port: number, apiKey: string): Promise<number> {
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/v1/categories`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: '{"name":"Dogs"}',
      });
      return response.status;
    } catch {
      await pause(50);
    }
  }
}
