import type { FastifyRequest } from 'fastify';
import type { Refusal } from '../../domain/errors.ts';
import type { Standing } from '../../domain/workspace.ts';
import { addressBucket } from '../../lib/network/address-bucket.ts';
import type { Limiter, Verdict } from '../../limits/limiter.ts';
import type { Operation } from '../../operations/operation.ts';
import { standingRefusal } from '../../services/tenants/workspace-states.ts';
import { countInBucket, type LimitOptions } from '../request/charge.ts';
import { limitRefusal } from '../response/limit-refusal.ts';
import { rateHeaders } from '../response/rate-headers.ts';
import type { Step, StepResult } from './step.ts';

/**
 * Counts the request for its workspace or its address, and refuses it beyond the limit. A request that the state of its
 * workspace refuses is not counted.
 */
export function limit(options: LimitOptions): Step {
  return (request) => {
    const { state } = request;
    const refusal = state.caller?.standing && stateRefusal(state.caller.standing, state.operation);
    state.isBlocked = refusal !== undefined;
    const span = state.span?.child('limiter');
    const verdict = refusal
      ? withoutRefusal(options.limiter.peek(state.caller!))
      : verdictOn(request, options);
    if (verdict instanceof Promise) {
      return verdict
        .finally(() => span?.end())
        .then((settled) => apply(request, settled, options) ?? refusal);
    }
    span?.end();
    return apply(request, verdict, options) ?? refusal;
  };
}

/** While a workspace is suspended, little is served. While it is closing, it can be read. */
function stateRefusal(standing: Standing, operation: Operation | undefined): Refusal | undefined {
  const { state } = standing;
  const isRead = operation === undefined || operation.kind === 'read';
  const isServed = operation?.servedWhile
    ? operation.servedWhile.includes(state)
    : state === 'closing' && isRead;
  return isServed ? undefined : standingRefusal(standing);
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
  // A stream is counted when it starts, so one that is refused because too many are open costs nothing. An MCP message is
  // counted once it is parsed, unless it calls a tool.
  if (operation!.success.kind === 'stream' || metering === 'mcp') return peeked;
  const inBucket = (verdict: Verdict) => bucketVerdictOn(verdict, request, limiter);
  return peeked instanceof Promise ? peeked.then(inBucket) : inBucket(peeked);
}

function bucketVerdictOn(
  peeked: Verdict,
  request: FastifyRequest,
  limiter: Limiter,
): Verdict | Promise<Verdict> {
  if (peeked.refusal) return peeked;
  const own = countInBucket(request, limiter);
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
  return limitRefusal(request, verdict);
}
