import { Refusal } from '../../domain/errors.ts';
import type { Standing } from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';

/** What a request of a workspace that is not active is refused with, unless the operation is served all the same. */
export function standingRefusal({ state, since, reason, eraseAt }: Standing): Refusal {
  if (state === 'suspended') {
    return new Refusal('workspace_suspended', {
      details: { since: formatInstant(since), reason: reason! },
    });
  }
  const instant = formatInstant(eraseAt!);
  return new Refusal('workspace_closing', {
    message: `The workspace is closed and can only be read. It is erased at ${instant}.`,
    details: { eraseAt: instant },
  });
}
