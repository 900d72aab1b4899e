import { formatInstant } from '../../lib/instant.ts';
import type { ActiveBan } from '../../limits/limiter.ts';

export function banView({ keyId, workspaceId, since, until, strikes }: ActiveBan) {
  return {
    keyId,
    workspaceId,
    since: formatInstant(since),
    until: formatInstant(until),
    strikes,
  };
}
