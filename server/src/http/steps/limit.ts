import type { FastifyRequest } from 'fastify';
import { type ErrorCode, Refusal } from '../../domain/errors.ts';
import type { Limits } from '../../domain/plan.ts';
import { addressBucket } from '../../lib/address-bucket.ts';
import { formatInstant } from '../../lib/instant.ts';
import {
  type Limiter,
  type LimitRefusal,
  retryAfterSeconds,
  type Verdict,
} from '../../limits/limiter.ts';
import type { Operation } from '../../operations/operation.ts';
import { limitMessage } from '../response/limit-message.ts';
import { rateHeaders } from '../response/rate-headers.ts';
import type { Step, StepResult } from './step.ts';

/** What operations with metering `account`, `events` or `mcp` allow each key per minute, outside the quota. */
const BUCKET_PER_MINUTE = 60;

export interface LimitOptions {
  limiter: Limiter;
  addressPerMinute: number;
  /** Called with every verdict on a request, for the usage report. */
  onVerdict: (request: FastifyRequest, verdict: Verdict) => void;
}

/** Counts the request for its workspace or its address, and refuses it beyond the limit. */
export function limit(options: LimitOptions): Step {
  return (request) => {
    const verdict = verdictOn(request, options);
    return verdict instanceof Promise
      ? verdict.then((settled) => apply(request, settled, options))
      : apply(request, verdict, options);
  };
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
  refuseAboveLimit(cost, caller.limits);
  const verdict = await limiter.readmit(caller, cost, admitted);
  request.state.verdict = verdict;
  request.state.rateHeaders = rateHeaders(verdict);
  const refusal = refusalOn(request, verdict, cost);
  if (refusal) throw refusal;
}

function refuseAboveLimit(cost: number, { perMinute, perDay }: Limits): void {
  if (cost <= Math.min(perMinute, perDay)) return;
  const limit = perMinute < perDay ? `${perMinute} a minute` : `${perDay} a day`;
  throw new Refusal('invalid_request', {
    message: `This request costs ${cost} requests of the quota, and the limit is ${limit}. Send it in smaller parts.`,
  });
}

function verdictOn(request: FastifyRequest, options: LimitOptions): Verdict | Promise<Verdict> {
  const { limiter, addressPerMinute } = options;
  const { caller, identityRefusal, operation } = request.state;
  const metering = operation?.metering;
  if (!caller) {
    const bucket = addressBucket(request.ip);
    return metering === 'free' && identityRefusal?.code === 'missing_api_key'
      ? limiter.peekBucket(bucket, addressPerMinute)
      : limiter.admitBucket(bucket, addressPerMinute);
  }
  if (metering === undefined) return limiter.admit(caller, 1);
  const peeked = limiter.peek(caller);
  if (metering === 'free') return withoutRefusal(peeked);
  const bucket = bucketOf(metering, caller.keyId);
  // Streams and MCP messages are not counted here. A stream is counted when it starts, so one that is refused because too
  // many are open costs nothing. An MCP message is counted once it is parsed, unless it calls a tool.
  const isCounted = operation!.success.kind !== 'stream' && metering !== 'mcp';
  const inBucket = (verdict: Verdict) => bucketVerdictOn(verdict, limiter, { bucket, isCounted });
  return peeked instanceof Promise ? peeked.then(inBucket) : inBucket(peeked);
}

/** Counts a request that the limit step only peeked at: a stream about to start, or a parsed MCP message. */
export async function chargeBucket(
  request: FastifyRequest,
  { limiter }: Pick<LimitOptions, 'limiter'>,
): Promise<void> {
  const { state } = request;
  const metering = state.operation!.metering as BucketMetering;
  const verdict = await limiter.admitBucket(
    bucketOf(metering, state.caller!.keyId),
    BUCKET_PER_MINUTE,
  );
  const refusal = refusalOn(request, verdict);
  if (!refusal) return;
  state.rateHeaders = rateHeaders(verdict);
  throw refusal;
}

type BucketMetering = Exclude<Operation['metering'], 'free' | undefined>;

function bucketOf(metering: BucketMetering, keyId: string): string {
  return `${metering}:${keyId}`;
}

function bucketVerdictOn(
  peeked: Verdict,
  limiter: Limiter,
  { bucket, isCounted }: { bucket: string; isCounted: boolean },
): Verdict | Promise<Verdict> {
  if (peeked.refusal || !isCounted) return peeked;
  const own = limiter.admitBucket(bucket, BUCKET_PER_MINUTE);
  const pick = (verdict: Verdict) => (verdict.refusal ? verdict : peeked);
  return own instanceof Promise ? own.then(pick) : pick(own);
}

function withoutRefusal(verdict: Verdict | Promise<Verdict>): Verdict | Promise<Verdict> {
  const strip = ({ refusal: _, ...rest }: Verdict): Verdict => rest;
  return verdict instanceof Promise ? verdict.then(strip) : strip(verdict);
}

function apply(request: FastifyRequest, verdict: Verdict, { onVerdict }: LimitOptions): StepResult {
  const { state } = request;
  state.verdict = verdict;
  onVerdict(request, verdict);
  state.rateHeaders = rateHeaders(verdict);
  return refusalOn(request, verdict);
}

function refusalOn(request: FastifyRequest, verdict: Verdict, cost = 1): Refusal | undefined {
  const { refusal } = verdict;
  if (!refusal) return undefined;
  const { caller, headers, operation } = request.state;
  const metering = operation?.metering;
  const seconds = retryAfterSeconds(refusal, verdict.at);
  headers.push('retry-after', String(seconds));
  const { by: limit, refusalsBeforeBan } = refusal;
  const until = formatInstant(refusal.until);
  // A bucket has one window, and refusals by it lead to no ban.
  const canBan = verdict.windows.length > 1;
  return new Refusal(codes[limit], {
    message: limitMessage({ verdict, refusal, caller, cost, retryAfterSeconds: seconds, metering }),
    details: canBan ? { limit, refusalsBeforeBan, until } : { limit, until },
  });
}

const codes: Record<LimitRefusal['by'], ErrorCode> = {
  minute: 'rate_limit_exceeded',
  day: 'quota_exceeded',
  ban: 'key_banned',
};
