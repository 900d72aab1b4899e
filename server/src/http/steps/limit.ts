import type { FastifyRequest } from 'fastify';
import { type ErrorCode, Refusal } from '../../domain/errors.ts';
import { addressBucket } from '../../lib/client-address.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { Limiter, LimitRefusal, Verdict } from '../../limits/limiter.ts';
import { rateLines, retryAfterSeconds } from '../response/rate-headers.ts';
import { headerLine } from '../response/send.ts';
import type { Finding, Step } from './step.ts';

/** GET /usage and its advice cost no quota; each key may ask this often in a minute. */
const OWN_PER_MINUTE = 60;

export interface LimitOptions {
  limiter: Limiter;
  addressPerMinute: number;
  /** Told of every verdict on a request, for the usage report. */
  onVerdict: (request: FastifyRequest, verdict: Verdict) => void;
}

/** Counts the request where it belongs, puts the numbers on the answer, and refuses what is too much. */
export function limit(options: LimitOptions): Step {
  return (request) => {
    const verdict = verdictOn(request, options);
    return verdict instanceof Promise
      ? verdict.then((settled) => apply(request, settled, options))
      : apply(request, verdict, options);
  };
}

/** For answers that are given before the request was understood: counted for its address. */
export async function limitAddress(address: string, options: LimitOptions): Promise<Verdict> {
  return options.limiter.admitBucket(addressBucket(address), options.addressPerMinute);
}

/**
 * Counts what a request costs beyond the one that every request costs, once its body has told. A request
 * that does not fit is refused and has cost one.
 */
export async function chargeMore(
  request: FastifyRequest,
  cost: number,
  { limiter }: Pick<LimitOptions, 'limiter'>,
): Promise<void> {
  const { caller } = request.state;
  if (cost <= 0 || !caller) return;
  const verdict = await limiter.admit(caller, cost);
  request.state.verdict = verdict;
  request.state.rateLines = rateLines(verdict);
  const refusal = refusalOn(request, verdict);
  if (refusal) throw refusal;
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
  return peeked instanceof Promise
    ? peeked.then((verdict) => ownVerdict(verdict, caller.keyId, limiter))
    : ownVerdict(peeked, caller.keyId, limiter);
}

function ownVerdict(peeked: Verdict, keyId: string, limiter: Limiter): Verdict | Promise<Verdict> {
  if (peeked.refusal) return peeked;
  const own = limiter.admitBucket(`own:${keyId}`, OWN_PER_MINUTE);
  const pick = (verdict: Verdict) => (verdict.refusal ? verdict : peeked);
  return own instanceof Promise ? own.then(pick) : pick(own);
}

function withoutRefusal(verdict: Verdict | Promise<Verdict>): Verdict | Promise<Verdict> {
  const strip = ({ refusal: _, ...rest }: Verdict): Verdict => rest;
  return verdict instanceof Promise ? verdict.then(strip) : strip(verdict);
}

function apply(request: FastifyRequest, verdict: Verdict, { onVerdict }: LimitOptions): Finding {
  const { state } = request;
  state.verdict = verdict;
  onVerdict(request, verdict);
  state.rateLines = rateLines(verdict);
  return refusalOn(request, verdict);
}

function refusalOn(request: FastifyRequest, verdict: Verdict): Finding {
  if (!verdict.refusal) return undefined;
  const seconds = retryAfterSeconds(verdict.refusal.retryAt, verdict.at);
  request.state.lines += headerLine('retry-after', String(seconds));
  // A bucket has one window, and refusals by it lead to no ban.
  return refusalFor(verdict.refusal, verdict.windows.length > 1);
}

const codes: Record<LimitRefusal['by'], ErrorCode> = {
  minute: 'rate_limit_exceeded',
  day: 'quota_exceeded',
  ban: 'key_banned',
};

function refusalFor({ by, until, refusalsBeforeBan }: LimitRefusal, canBan: boolean): Refusal {
  const details = {
    limit: by,
    ...(canBan ? { refusalsBeforeBan } : {}),
    until: formatInstant(until),
  };
  return new Refusal(codes[by], { details });
}
