import { isIPv4, isIPv6 } from 'node:net';

/** Undefined, whatever the types of Fastify say, where a connection was gone before it was accepted. */
type Client = string | undefined;

/** The bucket of a client in the limit per address: an IPv4 address, or the /64 network of an IPv6 address. */
export function addressBucket(client: Client): string {
  const address = plainAddress(client);
  return isIPv6(address) ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;
}

/** Without a port and a zone, and an IPv4 address that is written as IPv6 as IPv4. */
export function plainAddress(client: Client): string {
  const address = withoutPort(client ?? '');
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [plain] = address.split('%') as [string];
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain;
}

/** Some proxies forward the port, too: `192.0.2.1:51234` or `[2001:db8::1]:51234`. */
export function withoutPort(client: string): string {
  const [, v6, v4] = /^(?:\[(.+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(client) ?? [];
  return v6 ?? v4 ?? client;
}

/** The eight groups of an IPv6 address. */
export function groupsOf(address: string): string[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = (high?: string, low?: string) => ((Number(high) << 8) | Number(low)).toString(16);
  const text = dotted
    ? `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}`
    : address;
  const [head = '', tail] = text.split('::') as [string, string?];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : new Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16));
}

/** The network of a client, so that no log names one client: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function addressNetwork(client: Client): string {
  const address = plainAddress(client);
  if (isIPv4(address)) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  return isIPv6(address) ? `${groupsOf(address).slice(0, 3).join(':')}::/48` : '';
}
