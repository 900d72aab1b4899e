import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Connections } from '../../src/http/connections/connections.ts';
import { Drain } from '../../src/http/connections/drain.ts';

const CHECK_MS = 50;
const QUIET_MS = 300;

it('a drain closes no connection for the time in which the process was held up and read nothing', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const connections = new Connections();
  const server = createServer().listen(0, '127.0.0.1');
  connections.track(server);
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  const [socket] = await accepted;
  const drain = new Drain(connections, { noArrivalsMs: 0, quietMaxMs: QUIET_MS });
  const drained = drain.run(server, () => undefined);
  await vi.waitUntil(() => !server.listening, { timeout: 60_000 });

  now = QUIET_MS - 1;
  vi.advanceTimersByTime(CHECK_MS);
  now = QUIET_MS;
  await setImmediate();
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(CHECK_MS);
  await drained;
  expect(socket.destroyed).toBe(true);
});
