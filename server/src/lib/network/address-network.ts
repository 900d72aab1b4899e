import { isIPv4, isIPv6 } from 'node:net';
import { groupsOf, plainAddress } from './address-bucket.ts';

/** The network of a client, so that no log names one client: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function addressNetwork(client: string): string {
  const address = plainAddress(client);
  if (isIPv4(address)) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  return isIPv6(address) ? `${groupsOf(address).slice(0, 3).join(':')}::/48` : '';
}
