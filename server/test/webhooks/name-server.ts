// A name server on loopback that answers as a test says.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface Zone {
  /** A name that stands for this one. */
  alias?: string;
  A?: readonly string[];
  AAAA?: readonly string[];
  /** Answers every question with this failure. */
  failure?: 'NXDOMAIN' | 'SERVFAIL' | 'silence';
}

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const FAILURES = { NXDOMAIN: 3, SERVFAIL: 2 } as const;
const HEAD_BYTES = 12;

/** Starts it and returns its address with the port; it ends with the test. */
export async function startNameServer(zones: Readonly<Record<string, Zone>>): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const answer = answerTo(question, zones);
    if (answer) socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

function answerTo(question: Buffer, zones: Readonly<Record<string, Zone>>): Buffer | undefined {
  const { name, end } = readName(question);
  const type = question.readUInt16BE(end);
  const zone = zones[name] ?? { failure: 'NXDOMAIN' };
  if (zone.failure === 'silence') return undefined;
  const asked = question.subarray(HEAD_BYTES, end + 4);
  const records: Buffer[] = [];
  const owner = zone.alias ?? name;
  if (zone.alias) records.push(record(name, TYPES.CNAME, encodeName(zone.alias)));
  const addresses = type === TYPES.A ? zone.A : type === TYPES.AAAA ? zone.AAAA : undefined;
  for (const address of addresses ?? []) records.push(record(owner, type, bytesOf(address)));
  const head = Buffer.alloc(HEAD_BYTES);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | (zone.failure ? FAILURES[zone.failure] : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, asked, ...records]);
}

function readName(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (let length = question[at]!; length > 0; length = question[at]!) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function record(owner: string, type: number, data: Buffer): Buffer {
  const rest = Buffer.alloc(10);
  rest.writeUInt16BE(type, 0);
  rest.writeUInt16BE(1, 2);
  rest.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(owner), rest, data]);
}

/** Of an IPv6 address only the full form of eight groups. */
function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
