import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Health } from '../../../fuzz/health.ts';
import { exchange } from '../../../fuzz/wire.ts';

const bytes = Buffer.from('GET / HTTP/1.1\r\n');
const options = { isHead: false, closingMs: 50 };

/** A server that does not close a connection because its client has. */
async function serve(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on('error', () => undefined));
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

it('accepts a service that closes the connection of an incomplete request, with an answer or without', async () => {
  const silent = await serve((socket) => socket.resume().on('end', () => socket.end()));
  expect(await exchange(silent, bytes, { isHead: false })).toEqual([]);
  const answer = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n';
  const polite = await serve((socket) => socket.resume().on('end', () => socket.end(answer)));
  const answers = await exchange(polite, bytes, { isHead: false });
  expect(answers.map(({ status }) => status)).toEqual([400]);
});

it('finds a service that neither answers nor closes the connection', async () => {
  const port = await serve((socket) => socket.resume());
  await expect(exchange(port, bytes, options)).rejects.toThrow('neither an answer nor');
});

it('does not take 100 Continue for an answer', async () => {
  const port = await serve((socket) => {
    socket.resume().write('HTTP/1.1 100 Continue\r\n\r\n');
  });
  await expect(exchange(port, bytes, options)).rejects.toThrow('neither an answer nor');
});

it('finds an answer that is no HTTP', async () => {
  const port = await serve((socket) => socket.resume().write('220 mail\r\n\r\n'));
  await expect(exchange(port, bytes, { isHead: false })).rejects.toThrow('no HTTP/1.1');
});

it('a process that says that it is not healthy counts as dead', async () => {
  const answerWith = (status: number) =>
    serve((socket) => {
      socket.on('data', () => socket.write(`HTTP/1.1 ${status} -\r\ncontent-length: 0\r\n\r\n`));
    });
  const isAlive = async (status: number) => {
    const target = { port: await answerWith(status), pid: process.pid, apiKey: '' };
    const health = new Health(target);
    await health.stop();
    return health.isAlive;
  };
  expect(await isAlive(200)).toBe(true);
  expect(await isAlive(503)).toBe(false);
});
