import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** So many requests may wait behind the one in work before no more is read from their connection. */
const WAITING_MAX = 16;

interface Line {
  last: ServerResponse;
  waiting: number;
}

/**
 * Handles the requests of one connection one after the other, each when the answer before it has been
 * taken. Node would start all of them at once, and a client that sends many and reads nothing could fill
 * the memory with answers.
 */
export function oneAtATime(server: Server, isTooLate: () => boolean): void {
  const handlers = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  const lines = new WeakMap<Socket, Line>();
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    const handle = () => {
      for (const handler of handlers) handler(request, response);
    };
    const line = lines.get(socket);
    if (!line) {
      lines.set(socket, { last: response, waiting: 0 });
      handle();
      return;
    }
    const { last } = line;
    line.last = response;
    if (last.writableFinished) handle();
    else waitFor(last, line, socket, () => (isTooLate() ? socket.destroySoon() : handle()));
  });
}

function waitFor(last: ServerResponse, line: Line, socket: Socket, handle: () => void): void {
  line.waiting += 1;
  if (line.waiting > WAITING_MAX) socket.pause();
  last.once('close', () => {
    line.waiting -= 1;
    // Behind an answer that closes the connection nothing can be answered, so nothing is done.
    if (!socket.writable) return;
    if (line.waiting === 0) socket.resume();
    handle();
  });
}
