import { noRequest } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { exampleLoggedRequest, LoggedRequest } from '../schemas/logs/request.ts';
import { record } from '../success.ts';
import { loggedRequestView } from '../views/logs.ts';
import { requestId } from './request-parameters.ts';

export const getRequest = readOperation({
  id: 'getRequest',
  method: 'GET',
  path: '/requests/{requestId}',
  tag: 'requests',
  scope: 'read',
  metering: 'requests',
  summary: 'Look a request up by its id',
  description:
    'The newest request of the workspace with this `X-Request-Id`, if it wrote or was refused. Costs no quota; at most 60 a minute per key.',
  params: { requestId },
  success: record(LoggedRequest, 'The request.'),
  example: exampleLoggedRequest,
  isOffered: ({ requestLog }) => requestLog !== undefined,
  handle: async ({ caller, params: { requestId: id } }, store, { requestLog }) => {
    const request = await requestLog!.find(store.requestLog, id, caller.workspaceId);
    if (!request) throw noRequest(id, 'in this workspace');
    return loggedRequestView(request, { isAddressShown: caller.scopes.includes('manage') });
  },
});
