// What the limiter counts of a request besides the limit step: its address, its whole cost, or its bucket.

import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import { type CurrentLimits, perDayAt } from '../../domain/plan.ts';
import { addressBucket } from '../../lib/network/address-bucket.ts';
import type { Limiter, Verdict } from '../../limits/limiter.ts';
import { limitRefusal } from '../response/limit-refusal.ts';
import { rateHeaders } from '../response/rate-headers.ts';

/** What operations with metering `account`, `events`, `mcp` or `requests` allow each key per minute, outside the quota. */
const BUCKET_PER_MINUTE = 60;

export interface LimitOptions {
  limiter: Limiter;
  addressPerMinute: number;
  /** Called with every verdict on a request, for the usage report. */
  onVerdict: (request: FastifyRequest, verdict: Verdict) => void;
}

/**
 * For requests that are refused before they are counted: they are charged to their address. A failure of the service is
 * charged to no address, since the caller may have a valid key that could not be checked.
 */
export async function limitAddress(
  address: string,
  { status }: Refusal,
  { limiter, addressPerMinute }: LimitOptions,
): Promise<Verdict> {
  const bucket = addressBucket(address);
  return status >= 500
    ? limiter.peekBucket(bucket, addressPerMinute)
    : limiter.admitBucket(bucket, addressPerMinute);
}

/**
 * Charges the whole cost of a request that was admitted as one. A request that does not fit is refused and
 * costs nothing. One that costs more than a whole window is invalid: waiting would not help.
 */
export async function chargeCost(
  request: FastifyRequest,
  cost: number,
  { limiter }: Pick<LimitOptions, 'limiter'>,
): Promise<void> {
  const { caller, verdict: admitted } = request.state;
  if (cost <= 1 || !caller || !admitted) return;
  refuseAboveLimit(cost, caller.limits, admitted.at);
  const verdict = await limiter.readmit(caller, cost, admitted);
  request.state.verdict = verdict;
  request.state.rateHeaders = rateHeaders(verdict);
  const refusal = limitRefusal(request, verdict, cost);
  if (refusal) throw refusal;
}

function refuseAboveLimit(cost: number, limits: CurrentLimits, now: number): void {
  const { perMinute } = limits;
  const perDay = perDayAt(limits, now);
  if (cost <= Math.min(perMinute, perDay)) return;
  const limit = perMinute < perDay ? `${perMinute} a minute` : `${perDay} a day`;
  throw new Refusal('invalid_request', {
    message: `This request costs ${cost} requests of the quota, and the limit is ${limit}. Send it in smaller parts.`,
  });
}

/** Counts a request that the limit step only peeked at: a stream about to start, or a parsed MCP message. */
export async function chargeBucket(
  request: FastifyRequest,
  { limiter }: Pick<LimitOptions, 'limiter'>,
): Promise<void> {
  const verdict = await countInBucket(request, limiter);
  const refusal = limitRefusal(request, verdict);
  if (!refusal) return;
  request.state.rateHeaders = rateHeaders(verdict);
  throw refusal;
}

/** Counts a request of a key in the bucket of its metering. */
export function countInBucket({ state }: FastifyRequest, limiter: Limiter) {
  const bucket = `${state.operation!.metering}:${state.caller!.keyId}`;
  return limiter.admitBucket(bucket, BUCKET_PER_MINUTE);
}
