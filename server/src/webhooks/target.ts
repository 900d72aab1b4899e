// Where deliveries may go. A URL names a host, and the host is resolved for every connection: each address it
// has must be public or an exception of the operator, and the connection goes to an address from that
// list, never to the result of a second look-up. The rules therefore hold whatever a name server says next.

import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import {
  type Address,
  type AddressRange,
  isAddressRange,
  parseAddress,
  parseRange,
} from '../lib/network/address-range.ts';

/** The URL, or an address of its host, breaks a rule; the message completes "url …". */
export class TargetRefused extends Error {}

/** The host has no address. */
export class HostUnknown extends Error {}

export interface Target {
  url: URL;
  /** The host as it is compared: lower case, without brackets and without a dot at its end. */
  host: string;
  /** Only an exception may be reached: the URL is not https on a permitted port. */
  needsException: boolean;
}

const URL_LENGTH_MAX = 2_000;
const UNPRIVILEGED_PORT_MIN = 1024;
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

export class Targets {
  readonly #ranges: AddressRange[] = [];
  readonly #names = new Set<string>();
  readonly #resolve: Resolve;

  /** `exceptions` are addresses, ranges like 10.0.0.0/8 and host names. */
  constructor(exceptions: readonly string[], resolve: Resolve) {
    this.#resolve = resolve;
    for (const text of exceptions) {
      if (isAddressRange(text)) this.#ranges.push(parseRange(text));
      else this.#names.add(hostName(text));
    }
  }

  /** Checks all that can be checked without a name server. */
  parse(text: string): Target {
    if (text.length > URL_LENGTH_MAX) {
      throw new TargetRefused(`must have at most ${URL_LENGTH_MAX} characters`);
    }
    const url = URL.parse(text);
    if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
      throw new TargetRefused('must be a URL like https://shop.example/hooks');
    }
    if (url.username !== '' || url.password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) {
      throw new TargetRefused('must hold no user name and no password');
    }
    if (text.includes('#')) throw new TargetRefused('must hold no fragment');
    const target = { url, host: hostName(url.hostname), needsException: !isSecure(url) };
    if (isIP(target.host)) this.#refuseUnlessPermitted(target, [target.host]);
    return target;
  }

  /** The addresses of the host, all of them permitted. */
  async addressesOf(target: Target): Promise<string[]> {
    if (isIP(target.host)) return [target.host];
    const addresses = await this.#resolve(target.host);
    if (addresses.length === 0) throw new HostUnknown(`${target.host} has no address`);
    this.#refuseUnlessPermitted(target, addresses);
    return addresses;
  }

  /** A look-up for `connect` that hands over checked addresses only. */
  lookupOf(target: Target): LookupFunction {
    return (_, options, callback) => {
      this.addressesOf(target).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIP(address) }));
          if (options.all) callback(null, found);
          else callback(null, found[0]!.address, found[0]!.family);
        },
        (err: Error) => callback(err, []),
      );
    };
  }

  isPermitted({ host, needsException }: Target, address: string): boolean {
    if (this.#names.has(host)) return true;
    const parsed = parseAddress(address);
    if (!parsed) return false;
    const isException = this.#ranges.some(
      (range) => range[0].kind() === parsed.kind() && parsed.match(range),
    );
    return isException || (!needsException && isPublic(parsed));
  }

  #refuseUnlessPermitted(target: Target, addresses: readonly string[]): void {
    if (addresses.every((address) => this.isPermitted(target, address))) return;
    const wanted = target.needsException
      ? 'must be https on port 443 or above 1023'
      : 'must lead to public addresses only';
    throw new TargetRefused(`${wanted}; the operator may allow exceptions`);
  }
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

function isSecure({ protocol, port }: URL): boolean {
  return protocol === 'https:' && (port === '' || Number(port) >= UNPRIVILEGED_PORT_MIN);
}

function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** All addresses of a host, of both families; none when it has none. */
export type Resolve = (host: string) => Promise<string[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;
const NO_ADDRESS = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Asks the name servers of the system, or those that are given. Not `dns.lookup`: that occupies one of four threads,
 * which a slow name server would take away from the rest of the process.
 */
export function systemResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1'];
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    // One family is enough. Without any, a failed name server is kept apart from a host without addresses.
    const failure = answers.find(
      (answer) => answer.status === 'rejected' && !NO_ADDRESS.has(answer.reason.code),
    );
    if (addresses.length === 0 && failure?.status === 'rejected') throw failure.reason;
    return addresses;
  };
}
