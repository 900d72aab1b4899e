import type { Transaction } from '../../datastore/datastore.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { invalidField, noWorkspace } from '../../domain/errors.ts';
import { isInForce, LIMIT_MAX } from '../../domain/plan.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';
import { emit } from '../events/emit.ts';
import { recordAudit } from '../logs/audit.ts';

interface NewGrant {
  id: number;
  perDay: number;
  reason: string;
  now: number;
}

/** Adds requests to the UTC day of a workspace, and to what was added to the same day before. */
export async function addGrant(
  tx: Transaction,
  { id, perDay, reason, now }: NewGrant,
): Promise<Workspace> {
  const before = await tx.workspaces.findAndLock(id);
  if (!before) throw noWorkspace(id);
  const earlier = before.grant && isInForce(before.grant, now) ? before.grant : undefined;
  const sum = (earlier?.perDay ?? 0) + perDay;
  if (sum > LIMIT_MAX) {
    throw invalidField('perDay', `must be at most ${LIMIT_MAX}, all grants of the day together`);
  }
  const endsAt = now - (now % DAY_MS) + DAY_MS;
  const after = { ...before, grant: { perDay: sum, endsAt } };
  await tx.workspaces.update(after);
  const event = { type: 'workspace.updated', data: { workspace: after } } as const;
  const emitter = { caller: { workspaceId: id }, now };
  await emit(tx, emitter, { ...event, before: { grant: earlier ?? null } });
  await recordAudit(tx, {
    workspaceId: id,
    action: 'grant.added',
    target: 'workspace',
    after: { perDay, reason, until: formatInstant(endsAt) },
    now,
  });
  return after;
}
