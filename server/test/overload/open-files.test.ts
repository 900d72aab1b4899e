import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Service } from '../../../torture/service.ts';
import { newStore } from '../../../torture/store.ts';

const FILES_MAX = 64;
const RECOVERY_MS = 5_000;

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
  await pause(300);
  expect(service.isRunning).toBe(true);
  expect(sockets.some((socket) => socket.destroyed)).toBe(true);
  for (const socket of sockets) socket.destroy();
  const status = await createdStatus(service.port, store.apiKey);
  expect(status).toBe(201);
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

async function createdStatus(port: number, apiKey: string): Promise<number> {
  const giveUpAt = performance.now() + RECOVERY_MS;
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/v1/categories`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: '{"name":"Dogs"}',
      });
      return response.status;
    } catch (err) {
      if (performance.now() > giveUpAt) throw err;
      await pause(50);
    }
  }
}
