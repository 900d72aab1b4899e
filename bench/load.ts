// Closed-loop load over keep-alive connections: each sends its next request when the answer is complete. It parses only
// as much of an answer as it needs to find its end, so that it costs less than what it measures.

import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  /** Connections are spread over these round-robin. */
  ports: readonly number[];
  connections: number;
  requests: number;
  /** Sends no further request after this long, also if fewer than `requests` were sent. */
  secondsMax?: number;
  /** The bytes of the n-th request. */
  request: (n: number) => string;
  /** Called when all connections are open, before the first request. */
  onOpen?: () => void;
}

export interface LoadResult {
  seconds: number;
  statuses: Map<number, number>;
  /** The latencies of all answers but 503, sorted, in milliseconds. */
  latencies: Float64Array;
  /** The latencies of 503 answers, sorted. */
  rejected: Float64Array;
}

/** A process that ends closes its connections without an error. */
const CLOSED = 'the service closed a connection under load';

export async function load(options: LoadOptions): Promise<LoadResult> {
  const statuses = new Map<number, number>();
  const latencies = new Float64Array(options.requests);
  const rejected: number[] = [];
  let sent = 0;
  let done = 0;
  let endsAt = Infinity;
  const isOver = () => sent >= options.requests || performance.now() > endsAt;
  const next = () => (isOver() ? undefined : options.request(sent++));
  const onAnswer = (status: number, milliseconds: number) => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 503) rejected.push(milliseconds);
    else latencies[done++] = milliseconds;
  };
  // A server that writes to a sleeping reader pays for waking it, and a slower server more often. This reader never
  // sleeps.
  let isRunning = true;
  const stayAwake = () => {
    if (isRunning) setImmediate(stayAwake);
  };
  stayAwake();
  const { ports } = options;
  const sockets = await Promise.all(
    Array.from({ length: options.connections }, (_, n) => open(ports[n % ports.length]!)),
  ).catch((err: unknown) => {
    isRunning = false;
    throw err;
  });
  options.onOpen?.();
  const startedAt = performance.now();
  endsAt = startedAt + (options.secondsMax ?? Infinity) * 1_000;
  const clients = sockets.map((socket) => drive(socket, next, onAnswer));
  await Promise.all(clients).finally(() => {
    isRunning = false;
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = latencies.subarray(0, done).sort();
  return { seconds, statuses, latencies: sorted, rejected: Float64Array.from(rejected).sort() };
}

export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Opens a connection and waits until it is accepted: Node accepts one per tick, and under load a tick is long. */
function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(CLOSED)));
    socket.setEncoding('latin1');
    let received = '';
    const onData = (chunk: string) => {
      received += chunk;
      const length = answerLength(received);
      if (length === undefined || received.length < length) return;
      socket.off('data', onData);
      resolve(socket);
    };
    socket.on('data', onData);
    socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  });
}

function drive(
  socket: Socket,
  next: () => string | undefined,
  onAnswer: (status: number, milliseconds: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let buffered = '';
    let sentAt = 0;
    const send = () => {
      const bytes = next();
      if (bytes === undefined) {
        socket.end();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(bytes, 'latin1');
    };
    socket.on('error', reject);
    // After the last answer this comes too late to reject.
    socket.on('close', () => reject(new Error(CLOSED)));
    socket.on('data', (chunk: string) => {
      buffered = buffered === '' ? chunk : buffered + chunk;
      const length = answerLength(buffered);
      if (length === undefined || buffered.length < length) return;
      const status = Number(buffered.slice(9, 12));
      buffered = buffered.slice(length);
      onAnswer(status, performance.now() - sentAt);
      send();
    });
    send();
  });
}

/** The length of the answer at the start of the text, or undefined while its head is incomplete. */
export function answerLength(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const match = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd));
  return headEnd + 4 + (match ? Number(match[1]) : 0);
}
