import { Resolver } from 'node:dns/promises';

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
