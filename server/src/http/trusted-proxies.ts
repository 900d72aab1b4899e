import { withoutPort } from '../lib/network/address-bucket.ts';
import { parseAddress, parseRange } from '../lib/network/address-range.ts';

/**
 * Tells whether an address of X-Forwarded-For is in one of the ranges. Fastify compares by itself, too, but takes an
 * address with a port for that of a client: all clients behind such a proxy would share one limit.
 */
export function trustedProxies(ranges: readonly string[]): (address: string) => boolean {
  const trusted = ranges.map(parseRange);
  return (text) => {
    const address = parseAddress(withoutPort(text));
    return trusted.some((range) => address?.kind() === range[0].kind() && address.match(range));
  };
}
