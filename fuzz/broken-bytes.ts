import fc from 'fast-check';
import type { Case } from './request.ts';

const LINES = [
  'Content-Length: 5',
  'Content-Length: +5',
  'Content-Length: 5, 5',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: gzip, chunked',
  'Host: other',
  'Host:',
  'Host: a b',
  'Connection: close',
  'Connection: upgrade\r\nUpgrade: h2c',
  'Expect: 100-continue',
  'Expect: tea',
  'X-API-Key: a\r\nX-API-Key: b',
  'X-Request-Id: \x80\xff',
  ' folded: line',
  'no colon',
  ': no name',
  'X-Nul: a\0b',
  'X-Cr: a\rb',
  `X-Long: ${'a'.repeat(20_000)}`,
  Array.from({ length: 120 }, (_, index) => `X-${index}: a`).join('\r\n'),
];
const TARGETS = [
  '*',
  'http://other/v1/pets',
  '//other/v1/pets',
  '/v1/../metrics',
  '/v1/pets#x',
  '/v1/pets%',
  '/v1/%zz',
  '/v1/pets?a=b c',
  '/v1/pets\\..',
  `/v1/pets/${'9'.repeat(16_000)}`,
  '',
];
const VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/1.9', 'HTTP/0.9', 'http/1.1', 'HTTP/1.1 ', ''];
const SPECIAL_BYTES = [0, 9, 10, 13, 32, 34, 37, 38, 47, 58, 63, 92, 127, 128, 195, 255];

type Mutation = (bytes: Buffer) => Buffer;

/** Requests with broken bytes. Almost any error is right, as long as it has the documented shape. */
export function brokenBytes(valid: fc.Arbitrary<Case>): fc.Arbitrary<Case> {
  return fc.tuple(valid, mutations()).map(([request, [why, mutate]]) => ({
    ...request,
    kind: 'bytes',
    why,
    headers: {},
    mutate,
  }));
}

function mutations(): fc.Arbitrary<readonly [string, Mutation]> {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const byte = fc.oneof(fc.constantFrom(...SPECIAL_BYTES), fc.nat({ max: 255 }));
  const edits = fc.array(fc.tuple(share, byte, fc.constantFrom('set', 'insert', 'remove')), {
    minLength: 1,
    maxLength: 6,
  });
  const chunks = fc.constantFrom(
    '2\r\n{}\r\n0\r\n\r\n',
    'zz\r\n{}\r\n0\r\n\r\n',
    '2\r\n{}',
    '-1\r\n',
    '2\n{}\n0\n\n',
    'fffffffffffffffff\r\n',
    '2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n',
    '0\r\n\r\nGET /v1/pets HTTP/1.1\r\n\r\n',
  );
  return fc.oneof(
    edits.map((list) => [`has ${list.length} bytes changed`, edited(list)] as const),
    share.map(
      (at) =>
        [
          'is cut short',
          (bytes: Buffer) => bytes.subarray(0, Math.floor(at * bytes.length)),
        ] as const,
    ),
    fc
      .constantFrom(...LINES)
      .map((line) => [`has ${line.slice(0, 40)}`, headed((head) => `${head}\r\n${line}`)] as const),
    fc
      .constantFrom(...TARGETS)
      .map(
        (target) =>
          [
            `has the target ${target.slice(0, 30)}`,
            headed((head) => head.replace(/ \S* HTTP/, ` ${target} HTTP`)),
          ] as const,
      ),
    fc
      .constantFrom(...VERSIONS)
      .map(
        (version) =>
          [
            `has the version ${version}`,
            headed((head) => head.replace(/HTTP\/1\.1/, version)),
          ] as const,
      ),
    chunks.map((body) => ['has broken chunks', chunked(body)] as const),
    fc
      .uint8Array({ minLength: 1, maxLength: 300 })
      .map((noise) => ['is noise', () => Buffer.from(noise)] as const),
    fc
      .uint8Array({ minLength: 1, maxLength: 60 })
      .map(
        (noise) =>
          ['has noise behind it', (bytes: Buffer) => Buffer.concat([bytes, noise])] as const,
      ),
  );
}

function edited(list: [number, number, string][]): Mutation {
  return (bytes) => {
    const out = [...bytes];
    for (const [share, byte, how] of list) {
      const at = Math.floor(share * (out.length - 1));
      out.splice(at, how === 'insert' ? 0 : 1, ...(how === 'remove' ? [] : [byte]));
    }
    return Buffer.from(out);
  };
}

function headed(change: (head: string) => string): Mutation {
  return (bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    return Buffer.concat([
      Buffer.from(change(bytes.subarray(0, end).toString('latin1')), 'latin1'),
      bytes.subarray(end),
    ]);
  };
}

function chunked(body: string): Mutation {
  return (bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    const head = bytes
      .subarray(0, end)
      .toString('latin1')
      .replace(/\r\ncontent-length: \d+/, '');
    return Buffer.from(`${head}\r\ntransfer-encoding: chunked\r\n\r\n${body}`, 'latin1');
  };
}
