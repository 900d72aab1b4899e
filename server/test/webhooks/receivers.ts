// Receivers on real sockets, as hostile as a test needs them.

import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Receiver {
  url: string;
  port: number;
  connections: number;
}

/** A server that does with each connection what it is given; gone when the test ends. */
export async function rawReceiver(onConnection: (socket: Socket) => void): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const receiver: Receiver = { url: '', port: 0, connections: 0 };
  const server = createServer((socket) => {
    receiver.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await listen(server, receiver, () => {
    for (const socket of sockets) socket.destroy();
  });
  return receiver;
}

/** A server that gives the same raw answer to everything once it has read something. */
export function rawAnswer(text: string): Promise<Receiver> {
  return rawReceiver((socket) => socket.once('data', () => socket.end(text)));
}

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

/** An HTTP server that reads each request whole before it answers. */
export async function httpReceiver(
  answer: Answer,
): Promise<Receiver & { received: ReceivedRequest[] }> {
  const received: ReceivedRequest[] = [];
  const receiver = { url: '', port: 0, connections: 0, received };
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const whole = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
    received.push(whole);
    answer(whole, response);
  });
  server.on('connection', () => {
    receiver.connections += 1;
  });
  await listen(server, receiver, () => server.closeAllConnections());
  return receiver;
}

async function listen(server: Server, receiver: Receiver, cut: () => void): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.port = (server.address() as { port: number }).port;
  receiver.url = `http://127.0.0.1:${receiver.port}/hooks`;
  onTestFinished(() => {
    cut();
    server.close();
  });
}
