import type { Caller } from '../../domain/key.ts';
import { plans } from '../../domain/plan.ts';
import { once } from '../../lib/once.ts';
import type { LimitRefusal, Verdict } from '../../limits/limiter.ts';

/** Making one costs more than a whole refusal. */
const numberFormat = once(() => new Intl.NumberFormat('en-US'));

interface Refused {
  verdict: Verdict;
  refusal: LimitRefusal;
  /** Absent for a request without a valid key. */
  caller: Caller | undefined;
  /** The requests of the quota that the refused request costs. */
  cost: number;
  retryAfterSeconds: number;
}

/** Says which limit refused a request, and how long to wait. */
export function limitMessage({
  verdict,
  refusal,
  caller,
  cost,
  retryAfterSeconds,
}: Refused): string {
  const wait = `try again in ${waitText(retryAfterSeconds)}.`;
  if (refusal.by === 'ban') {
    return `The API key is banned because it continued to send requests after 429; ${wait}`;
  }
  const window = verdict.windows.find(({ name }) => name === refusal.by)!;
  const noun = window.limit === 1 ? 'request' : 'requests';
  const limit = `${numberFormat().format(window.limit)} ${noun} a ${window.name}`;
  if (!caller) return `${limit} from one address without a valid API key; ${wait}`;
  if (verdict.windows.length === 1) return `${limit} for the usage of one API key; ${wait}`;
  const missing = cost > 1 ? `, this one costs ${cost} and ${window.remaining} are left` : '';
  return `${limit} on ${planNameOf(caller)}${missing}; ${wait}`;
}

/** The limits of a plan are one object, and custom ones never are it, whatever their numbers. */
function planNameOf({ limits }: Caller): string {
  return plans.find((plan) => plan.limits === limits)?.name ?? 'Enterprise';
}

function waitText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
