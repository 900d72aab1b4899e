import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  encodeCommand,
  type Reply,
  ReplyError,
  ReplyParser,
} from '../../../src/limits/valkey/resp.ts';

const text = fc.string({ unit: fc.constantFrom(...'ab:*$+- \t') });
const reply = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 3 },
    fc.maxSafeInteger(),
    fc.string({ unit: fc.constantFrom(...'ab\r\n:$') }),
    fc.constant(null),
    text.map((message) => new ReplyError(message)),
    fc.array(tie('reply')),
  ),
})).reply;

function encode(value: Reply): string {
  if (value === null) return '$-1\r\n';
  if (typeof value === 'number') return `:${value}\r\n`;
  if (typeof value === 'string') return `$${value.length}\r\n${value}\r\n`;
  if (value instanceof ReplyError) return `-${value.message}\r\n`;
  return `*${value.length}\r\n${value.map(encode).join('')}`;
}

it('parses replies whole, wherever the network cuts them', () => {
  fc.assert(
    fc.property(fc.array(reply), fc.array(fc.nat()), (replies, cuts) => {
      const bytes = replies.map(encode).join('');
      const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
      const parser = new ReplyParser();
      let from = 0;
      const parsed = ends
        .toSorted((a, b) => a - b)
        .flatMap((end) => {
          const piece = bytes.slice(from, end);
          from = end;
          return parser.parse(piece);
        });
      expect(parsed).toEqual(replies);
    }),
  );
});

it.each(['$-7\r\n', '*x\r\n', '$1.5\r\n', 'HTTP/1.1 400\r\n'])('rejects %j', (bytes) => {
  expect(() => new ReplyParser().parse(bytes)).toThrow('RESP');
});

it('encodes the length of a word in bytes', () => {
  expect(encodeCommand(['SET', 'a', 'ä'])).toBe('*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\nä\r\n');
});
