import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends what no receiver may end on: a body that is cut, and signatures that are none. Returns what the latter got. */
export async function sendBrokenDeliveries(url: string): Promise<number[]> {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`POST ${pathname} HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\n{"type`);
  await once(socket, 'connect');
  socket.resetAndDestroy();
  const statuses: number[] = [];
  // As long as a signature, in characters but not in bytes, is the last one.
  for (const signature of ['', 'v1', 'v1,', `v1,${'ÿ'.repeat(44)}`]) {
    const headers = {
      'webhook-id': 'evt_1_1_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': signature,
    };
    statuses.push((await fetch(url, { method: 'POST', body: '{}', headers })).status);
  }
  statuses.push((await fetch(url, { method: 'POST', body: '{}' })).status);
  return statuses;
}
