/** Where a request or a delivery stands in a trace, as W3C Trace Context has it. */
export interface TraceParent {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

const SHAPE =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const SAMPLED = 0x01;

/** Undefined if the header is not well-formed. A later version may have more after the flags. */
export function parseTraceParent(header: string): TraceParent | undefined {
  const [, version, traceId, spanId, flags, more] = SHAPE.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function formatTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${isSampled ? SAMPLED : 0}`;
}
