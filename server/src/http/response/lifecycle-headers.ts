import { DEPRECATION_URL } from '../../contract/links.ts';
import type { Operation } from '../../operations/operation.ts';
import type { FlatHeaders } from './headers.ts';

/** What an operation's responses say of its stability and its end. */
export interface Lifecycle {
  headersFor: (params: Record<string, string>) => FlatHeaders;
  isSunset: (now: number) => boolean;
}

const POLICY_LINKS = [
  `<${DEPRECATION_URL}>; rel="deprecation"; type="text/html"`,
  `<${DEPRECATION_URL}>; rel="sunset"; type="text/html"`,
].join(', ');

/** Undefined for stable operations that stay. */
export function lifecycleOf({ stability, deprecation }: Operation): Lifecycle | undefined {
  const stabilityHeaders = stability ? ['x-stability', stability] : [];
  if (!deprecation) {
    return stability && { headersFor: () => stabilityHeaders, isSunset: () => false };
  }
  const endsAt = Date.parse(deprecation.sunset);
  const fixed = [
    ...stabilityHeaders,
    'deprecation',
    `@${Date.parse(deprecation.since) / 1000}`,
    'sunset',
    new Date(endsAt).toUTCString(),
  ];
  return {
    headersFor: (params) => {
      const successor = `<${deprecation.successorPath(params)}>; rel="successor-version"`;
      return [...fixed, 'link', `${POLICY_LINKS}, ${successor}`];
    },
    isSunset: (now) => now >= endsAt,
  };
}
