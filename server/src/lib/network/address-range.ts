import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { withoutPort } from './address-bucket.ts';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = [Address, bits: number];

/** What comes before the IPv4 address in an IPv6 form of it. */
const MAPPED_BITS = 96;

/** Whether the text is an address, or a range like 10.0.0.0/8. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  if (isIP(address) === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsOf(address));
}

/** IPv6 forms of an IPv4 address count as that address. Undefined for a text that is no address. */
export function parseAddress(text: string): Address | undefined {
  return isIP(text) ? ipaddr.process(text) : undefined;
}

/** A range of IPv6 forms of IPv4 addresses counts as the range of those addresses. */
export function parseRange(text: string): AddressRange {
  const [address, bits] = ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${bitsOf(text)}`);
  return isMapped(address) && bits >= MAPPED_BITS
    ? [address.toIPv4Address(), bits - MAPPED_BITS]
    : [address, bits];
}

/** Whether the range has all addresses of IPv4 or of IPv6. */
export function isWholeRange(text: string): boolean {
  return parseRange(text)[1] === 0;
}

/**
 * Whether the range begins among the IPv6 forms of IPv4 addresses and is wider than all of them. It would have none of those
 * addresses.
 */
export function isMixedRange(text: string): boolean {
  return isMapped(parseRange(text)[0]);
}

function isMapped(address: Address): address is ipaddr.IPv6 {
  return 'isIPv4MappedAddress' in address && address.isIPv4MappedAddress();
}

function bitsOf(address: string): number {
  return isIP(address) === 4 ? 32 : 128;
}

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
