import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { withoutPort } from '../lib/address-bucket.ts';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What comes before the IPv4 address in an IPv6 form of it. */
const MAPPED_BITS = 96;

/**
 * Tells whether an address of X-Forwarded-For is in one of the ranges. Fastify compares by itself, too, but takes an
 * address with a port for that of a client: all clients behind such a proxy would share one limit.
 */
export function trustedProxies(ranges: readonly string[]): (address: string) => boolean {
  const trusted = ranges.map(parseRange);
  return (text) => {
    const address = withoutPort(text);
    if (!isIP(address)) return false;
    // IPv6 forms of an IPv4 address count as that address.
    const parsed = ipaddr.process(address);
    return trusted.some((range) => range[0].kind() === parsed.kind() && parsed.match(range));
  };
}

function parseRange(text: string): Range {
  const [address, bits] = ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${bitsOf(text)}`);
  const isMapped = 'isIPv4MappedAddress' in address && address.isIPv4MappedAddress();
  return isMapped ? [address.toIPv4Address(), bits - MAPPED_BITS] : [address, bits];
}

function bitsOf(address: string): number {
  return isIP(address) === 4 ? 32 : 128;
}
