import { isIP } from 'node:net';
import { groupsOf, plainAddress } from './address-bucket.ts';

/** The network of a client, so that no log names one client: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function addressNetwork(client: string): string {
  const address = plainAddress(client);
  if (isIP(address) === 4) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  return isIP(address) === 6 ? `${groupsOf(address).slice(0, 3).join(':')}::/48` : '';
}
