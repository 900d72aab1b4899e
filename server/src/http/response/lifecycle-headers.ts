import type { Deprecation, Operation } from '../../operations/operation.ts';
import type { RequestState } from '../request/request-state.ts';
import { fitting, headerLine, headerLines } from './send.ts';

const POLICY_LINKS = [
  '</docs#deprecation>; rel="deprecation"; type="text/html"',
  '</docs#sunset>; rel="sunset"; type="text/html"',
].join(', ');

/** Puts on the answer what a marked or deprecated operation carries, whatever it answers. */
export function showLifecycle(
  { stability, deprecation }: Operation,
  state: RequestState,
  params: Record<string, string>,
): void {
  if (stability) state.lines += headerLine('x-stability', stability);
  if (!deprecation) return;
  state.lines += instantsOf(deprecation).lines;
  const successor = fitting(deprecation.successorPath(params), 'link');
  state.marks = `${POLICY_LINKS}, <${successor}>; rel="successor-version"`;
}

export function isSunset(deprecation: Deprecation, now: number): boolean {
  return now >= instantsOf(deprecation).endsAt;
}

interface Instants {
  /** As headers have them. */
  lines: string;
  endsAt: number;
}

const written = new WeakMap<Deprecation, Instants>();

/** The two dates, worked out once. */
function instantsOf(deprecation: Deprecation): Instants {
  let instants = written.get(deprecation);
  if (!instants) {
    const endsAt = Date.parse(deprecation.sunset);
    const since = `@${Date.parse(deprecation.since) / 1000}`;
    const sunset = new Date(endsAt).toUTCString();
    instants = { lines: headerLines({ deprecation: since, sunset }), endsAt };
    written.set(deprecation, instants);
  }
  return instants;
}
