import type { FastifyRequest } from 'fastify';
import { type ErrorCode, Refusal } from '../../domain/errors.ts';
import type { Caller } from '../../domain/key.ts';
import { plans } from '../../domain/plan.ts';
import { formatInstant } from '../../lib/instant.ts';
import { type LimitRefusal, retryAfterSeconds, type Verdict } from '../../limits/limiter.ts';
import type { Operation } from '../../operations/operation.ts';

interface Refused {
  verdict: Verdict;
  refusal: LimitRefusal;
  /** Absent for a request without a valid key. */
  caller: Caller | undefined;
  /** The requests of the quota that the refused request costs. */
  cost: number;
  retryAfterSeconds: number;
  /** Which requests of a key are counted apart from its plan, if the refused request is one of them. */
  metering: Operation['metering'];
}

const meteredApart: Partial<Record<NonNullable<Operation['metering']>, string>> = {
  account: 'usage and sessions',
  events: 'the feed of events',
  mcp: 'messages to /mcp',
  requests: 'the log of requests',
};

const codes: Record<LimitRefusal['by'], ErrorCode> = {
  minute: 'rate_limit_exceeded',
  day: 'quota_exceeded',
  ban: 'key_banned',
};

/** The refusal that the caller gets, or undefined if no limit refused. Also sets Retry-After. */
export function limitRefusal(
  request: FastifyRequest,
  verdict: Verdict,
  cost = 1,
): Refusal | undefined {
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

/** Says which limit refused a request, and how long to wait. */
export function limitMessage({
  verdict,
  refusal,
  caller,
  cost,
  retryAfterSeconds,
  metering,
}: Refused): string {
  const wait = `try again in ${waitText(retryAfterSeconds)}.`;
  if (refusal.by === 'ban') {
    return `The API key is banned because it continued to send requests after 429; ${wait}`;
  }
  const window = verdict.windows.find(({ name }) => name === refusal.by)!;
  const noun = window.limit === 1 ? 'request' : 'requests';
  const limit = `${grouped(window.limit)} ${noun} a ${window.name}`;
  if (!caller) return `An address without a valid API key has ${limit}; ${wait}`;
  if (verdict.windows.length === 1) {
    return `An API key has ${limit} for ${meteredApart[metering!]}; ${wait}`;
  }
  const missing = cost > 1 ? `. This one costs ${cost}, and ${window.remaining} are left` : '';
  return `${planNameOf(caller)} allows ${limit}${missing}; ${wait}`;
}

/** Formats 1000 as 1,000. Refusals are frequent, and `Intl` would take 5 % of the time of one. */
function grouped(count: number): string {
  return count < 1_000 ? String(count) : String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function planNameOf({ plan }: Caller): string {
  return plans.find(({ id }) => id === plan)!.name;
}

function waitText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
