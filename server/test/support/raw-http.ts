// Speaks HTTP byte by byte over a socket, for requests that no well-behaved client would send.

import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  body: any;
}

export interface Exchange {
  answers: RawAnswer[];
  /** Whether the service closed the connection. */
  isClosed: boolean;
}

const QUIET_MS = 150;

/**
 * Sends bytes and reads every answer that comes back, until the service closes the connection or has
 * been quiet for a moment after its last whole answer.
 */
export async function exchange(
  address: string,
  bytes: string | Buffer,
  options: { quietMs?: number; isHead?: boolean } = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  try {
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return await readAnswers(socket, options);
  } finally {
    socket.destroy();
  }
}

export function readAnswers(
  socket: Socket,
  { quietMs = QUIET_MS, isHead = false }: { quietMs?: number; isHead?: boolean } = {},
): Promise<Exchange> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    let timer: NodeJS.Timeout | undefined;
    const finish = (isClosed: boolean) => {
      clearTimeout(timer);
      resolve({ answers: answersOf(received, isHead).answers, isClosed });
    };
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      clearTimeout(timer);
      if (answersOf(received, isHead).isWhole) timer = setTimeout(() => finish(false), quietMs);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => finish(true));
  });
}

function answersOf(bytes: Buffer, isHead: boolean): { answers: RawAnswer[]; isWhole: boolean } {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return { answers, isWhole: false };
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = headersOf(lines);
    const length = isHead ? 0 : Number(headers['content-length'] ?? 0);
    const bodyStart = end + 4;
    if (rest.length < bodyStart + length) return { answers, isWhole: false };
    const text = rest.subarray(bodyStart, bodyStart + length).toString();
    const isJson = headers['content-type']?.startsWith('application/json') && text !== '';
    const status = Number(statusLine.split(' ')[1]);
    if (status >= 200) {
      answers.push({ status, headers, text, body: isJson ? JSON.parse(text) : undefined });
    }
    rest = rest.subarray(bodyStart + length);
  }
  return { answers, isWhole: answers.length > 0 };
}

function headersOf(lines: string[]): Record<string, string> {
  const pairs = lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
}
