import { type AuditRecord, hiddenActors } from '../../domain/logs/audit.ts';
import type { LoggedRequest } from '../../domain/logs/request.ts';
import { NO_WORKSPACE } from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';

/** What a key sees of a request; its address only with `manage`. */
export function loggedRequestView(
  { workspaceId: _, entry: __, at, durationUs, address, ...request }: LoggedRequest,
  { isAddressShown }: { isAddressShown: boolean },
) {
  return {
    ...request,
    at: formatInstant(at),
    durationMs: durationUs / 1000,
    address: isAddressShown ? address : undefined,
  };
}

/** What the operator sees of a request. */
export function anyLoggedRequestView(request: LoggedRequest) {
  return { ...loggedRequestView(request, { isAddressShown: true }), workspaceId: shownId(request) };
}

/** What the owner of a workspace sees: that an operator made a change, and nothing else of the operator. */
export function auditView(record: AuditRecord) {
  const { workspaceId: _, at, ...rest } = record;
  const shown = { ...rest, at: formatInstant(at) };
  if (!hiddenActors.includes(record.actor.type)) return shown;
  const { requestId: __, address: ___, ...hidden } = shown;
  return { ...hidden, actor: { type: record.actor.type } };
}

/** What the operator sees. */
export function anyAuditView({ at, workspaceId, ...record }: AuditRecord) {
  return { ...record, at: formatInstant(at), workspaceId: shownId({ workspaceId }) };
}

function shownId({ workspaceId }: { workspaceId: number }): number | undefined {
  return workspaceId === NO_WORKSPACE ? undefined : workspaceId;
}
