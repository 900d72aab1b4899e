import { describe, expect, it } from 'vitest';
import { formatTraceParent, parseTraceParent } from '../../src/lib/traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceparent', () => {
  it('is read and written', () => {
    const header = `00-${TRACE}-${SPAN}-01`;
    expect(parseTraceParent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
    expect(formatTraceParent(parseTraceParent(header)!)).toBe(header);
    expect(parseTraceParent(`00-${TRACE}-${SPAN}-02`)?.isSampled).toBe(false);
  });

  it('of a later version may have more after the flags', () => {
    expect(parseTraceParent(`cc-${TRACE}-${SPAN}-01-more`)?.traceId).toBe(TRACE);
  });

  it.each([
    '',
    'garbage',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
  ])('is ignored if it is malformed: %j', (header) => {
    expect(parseTraceParent(header)).toBeUndefined();
  });
});
