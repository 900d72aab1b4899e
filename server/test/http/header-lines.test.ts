import { describe, expect, it } from 'vitest';
import { headerLine, headerLines, pairedUp, statusLine } from '../../src/http/response/send.ts';

describe('the lines of an answer', () => {
  it('are names and values, each with its end', () => {
    const headers = { etag: '"a:b"', link: '<http://a/v1/pets?cursor=x>; rel="next"' };
    const lines = headerLines(headers);
    expect(lines).toBe('etag: "a:b"\r\nlink: <http://a/v1/pets?cursor=x>; rel="next"\r\n');
    expect(pairedUp(lines)).toEqual(headers);
    expect(statusLine(404)).toBe('HTTP/1.1 404 Not Found\r\n');
  });

  it.each(['a\r\nset-cookie: b', 'a\nb', 'a\0', 'a\x7f', 'ā'])('never hold %j', (value) => {
    expect(() => headerLine('location', value)).toThrow(/location cannot be sent/);
  });

  it('may hold what Latin-1 has', () => {
    expect(headerLine('link', 'ÿ\ta')).toBe('link: ÿ\ta\r\n');
  });
});
