// Which kind of server answers, and which of its refusals only other settings can end.

import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ErrorReply } from '@redis/client';
import type { ValkeyAddress, ValkeyTarget } from '../../lib/network/valkey-url.ts';
import { UnusableLimiterStore } from '../limiter.ts';
import type { Reply, ValkeyClient } from './valkey-client.ts';

type Mode = 'standalone' | 'sentinel' | 'cluster';

const SETTING = 'PETSTORE_VALKEY_URL';
const expectedModes: Record<ValkeyTarget['topology'], Mode> = {
  server: 'standalone',
  sentinel: 'sentinel',
  cluster: 'cluster',
};
const urlForms: Record<Mode, (address: string) => string> = {
  standalone: (address) => `is a single server: write redis://${address}`,
  sentinel: (address) =>
    `is a Sentinel: write redis+sentinel://${address}/NAME with the name of its master`,
  cluster: (address) => `is a node of a Cluster: write redis+cluster://${address}`,
};
/** Refusals that end by themselves have other first words: LOADING, BUSY, CLUSTERDOWN, READONLY, OOM, MISCONF. */
const LASTING_REFUSAL = /^(WRONGPASS|NOAUTH|NOPERM|ERR (?!max number of clients))/;
const CERTIFICATE_FAULT = /^(ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** How long a server that did not answer as the URL says is waited for again. */
const PROBE_MS = 500;

export function nameOf({ host, port }: ValkeyAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Throws unless the server is of the kind that the URL says. */
export async function checkMode(
  client: ValkeyClient,
  topology: ValkeyTarget['topology'],
): Promise<void> {
  const { mode } = await hello(client);
  if (mode === expectedModes[topology]) return;
  const address = nameOf(client.address);
  throw new UnusableLimiterStore(`${SETTING}: ${address} ${urlForms[mode](address)}`);
}

/** Throws unless the server is a master. Of a Sentinel or a Cluster it becomes one, or another server is found. */
export async function checkMaster(
  client: ValkeyClient,
  topology: ValkeyTarget['topology'],
): Promise<void> {
  const { role } = await hello(client);
  if (role === 'master') return;
  const fault = `${nameOf(client.address)} is a replica, which takes no writes`;
  if (topology !== 'server') throw new Error(fault);
  throw new UnusableLimiterStore(
    `${SETTING}: ${fault}: name its master, or its Sentinels as redis+sentinel://host:26379/NAME`,
  );
}

/** The same error, or one that says what to set if trying again cannot help. */
export function explained(err: Error, address: ValkeyAddress): Error {
  const { code = '' } = err as NodeJS.ErrnoException;
  const refusal = err instanceof ErrorReply && LASTING_REFUSAL.exec(err.message)?.[1];
  if (refusal === 'NOAUTH') {
    const text = `${SETTING}: ${nameOf(address)} asks for a password: write it before the host, as in redis://:PASSWORD@host`;
    return new UnusableLimiterStore(text);
  }
  if (refusal) {
    return new UnusableLimiterStore(`${SETTING}: ${nameOf(address)} refuses: ${err.message}`);
  }
  if (CERTIFICATE_FAULT.test(code)) {
    return new UnusableLimiterStore(
      `${SETTING}: no TLS connection to ${nameOf(address)} (${err.message}): ` +
        'write redis:// if it has no TLS, or name its authority in NODE_EXTRA_CA_CERTS',
    );
  }
  return err;
}

/**
 * What is wrong with the URL if the server has TLS and the URL has not, or the other way round. Undefined for a server that
 * does not answer at all. Nothing secret is sent.
 */
export async function tlsFault(
  address: ValkeyAddress,
  isEncrypted: boolean,
): Promise<UnusableLimiterStore | undefined> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = isEncrypted
    ? connect(address, () => socket.write('PING\r\n'))
    : connectTls({ ...address, rejectUnauthorized: false }, () => resolve(true));
  if (isEncrypted) socket.on('data', (reply) => resolve(/^[+-]/.test(reply.toString('latin1'))));
  socket.on('error', () => resolve(false));
  socket.on('close', () => resolve(false));
  socket.setTimeout(PROBE_MS, () => resolve(false));
  const answers = await promise;
  socket.destroy();
  if (!answers) return undefined;
  const advice = isEncrypted
    ? 'has no TLS: begin the URL with redis instead of rediss'
    : 'takes nothing but TLS: begin the URL with rediss instead of redis';
  return new UnusableLimiterStore(`${SETTING}: ${nameOf(address)} ${advice}`);
}

/** A user with few rights may send HELLO, and no command that is marked as dangerous. */
async function hello(client: ValkeyClient): Promise<{ mode: Mode; role: string | undefined }> {
  const fields = (await client.send(['HELLO'])) as Reply[];
  const fieldOf = (name: string) => fields[fields.indexOf(name) + 1] as string;
  return {
    mode: fieldOf('mode') as Mode,
    role: fields.includes('role') ? fieldOf('role') : undefined,
  };
}
