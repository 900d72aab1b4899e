import type { LoggedRequest } from '../../domain/logs/request.ts';
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
    ...(isAddressShown ? { address } : {}),
  };
}

/** What the operator sees of a request. */
export function anyLoggedRequestView(request: LoggedRequest) {
  const { workspaceId } = request;
  return {
    ...loggedRequestView(request, { isAddressShown: true }),
    ...(workspaceId > 0 ? { workspaceId } : {}),
  };
}
