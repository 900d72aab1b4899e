// Sends HTTP as raw bytes over a socket, for requests that no well-behaved client sends.

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

interface ReadOptions {
  /** The requests are HEAD: their answers have no body. */
  isHead?: boolean;
  /** Called whenever all that has arrived is whole answers and the last one keeps the connection open. */
  onIdle?: () => void;
  /** How long the connection must be idle to be done with, where `onIdle` does not decide. */
  quietMs?: number;
}

const PROBE_ID = 'raw-http-probe';
const PROBE_MS = 20_000;
const QUIET_MS = 150;

/**
 * Sends bytes and reads every answer, until the service closes the connection. If the service keeps it open, a probe
 * follows on the same connection: answers come in order, so all that came before the probe's answer belongs to the bytes.
 */
export async function exchange(
  url: string,
  bytes: string | Buffer,
  { isHead = false }: { isHead?: boolean } = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let timer: NodeJS.Timeout | undefined;
  const probe = () => {
    if (timer) return;
    const method = isHead ? 'HEAD' : 'GET';
    socket.write(`${method} /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${PROBE_ID}\r\n\r\n`);
    timer = setTimeout(() => socket.destroy(new Error('no answer to the probe')), PROBE_MS);
  };
  try {
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return await readUntilEnd(socket, { isHead, onIdle: probe });
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Reads answers until the service closes the connection or has sent nothing for a moment after a whole answer. */
export function readAnswers(
  socket: Socket,
  { quietMs = QUIET_MS }: { quietMs?: number } = {},
): Promise<Exchange> {
  return readUntilEnd(socket, { quietMs });
}

function readUntilEnd(
  socket: Socket,
  { isHead = false, onIdle, quietMs }: ReadOptions,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    let timer: NodeJS.Timeout | undefined;
    const finish = (isClosed: boolean) => {
      clearTimeout(timer);
      const { answers } = answersOf(received, isHead);
      resolve({ answers: answers.filter((answer) => !isProbe(answer)), isClosed });
    };
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      clearTimeout(timer);
      const { answers, isWhole } = answersOf(received, isHead);
      const last = answers.at(-1);
      if (!isWhole || !last || last.headers.connection === 'close') return;
      if (isProbe(last)) finish(false);
      else if (onIdle) onIdle();
      else timer = setTimeout(() => finish(false), quietMs);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => finish(true));
  });
}

function isProbe({ headers }: RawAnswer): boolean {
  return headers['x-request-id'] === PROBE_ID;
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
