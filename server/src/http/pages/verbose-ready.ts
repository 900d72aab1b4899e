import { BlockList } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type HealthCheck, runChecks } from '../../services/health-check.ts';
import { JSON_TYPE } from '../response/headers.ts';

interface VerboseOptions {
  /** Whether /readyz answers 200. */
  isReady: boolean;
  checks: readonly HealthCheck[];
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether `/readyz?verbose` was asked for. */
export function isVerbose({ url }: FastifyRequest): boolean {
  return new URLSearchParams(url.split('?')[1]).has('verbose');
}

/** Answers what each part of the service is like, with the status of /readyz. */
export async function answerVerbose(
  reply: FastifyReply,
  { isReady, checks }: VerboseOptions,
): Promise<FastifyReply> {
  const parts = await runChecks(checks);
  const isLocal = isFromThisMachine(reply.request);
  const shown = parts.map(({ hosts, ...part }) => (isLocal && hosts ? { ...part, hosts } : part));
  const isWell = parts.every(({ ok }) => ok);
  const status = !isReady ? 'unavailable' : isWell ? 'ready' : 'degraded';
  if (!isReady) reply.code(503).header('retry-after', '1');
  return reply
    .headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-store' })
    .send(JSON.stringify({ status, checks: shown }));
}

/** A request that a proxy on this machine has passed on comes from elsewhere. */
function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  const address = raw.socket.remoteAddress ?? '';
  return loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
