import { noRequest } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { queryId } from '../parameters.ts';
import { anyRequestId } from '../requests/request-parameters.ts';
import { exampleLoggedRequest, LoggedRequest } from '../schemas/logs/request.ts';
import { record } from '../success.ts';
import { anyLoggedRequestView } from '../views/logs.ts';

export const adminGetRequest = readOperation({
  id: 'adminGetRequest',
  method: 'GET',
  path: '/admin/requests/{requestId}',
  tag: 'admin',
  scope: 'operate',
  metering: 'requests',
  summary: 'Look a request of any workspace up by its id',
  description:
    'Clients may choose the id of a request, so two workspaces may have the same; `workspaceId` says whose is meant. Costs no quota; at most 60 a minute per key.',
  params: { requestId: anyRequestId },
  query: { workspaceId: queryId('Only a request of this workspace.') },
  success: record(LoggedRequest, 'The request.'),
  example: { ...exampleLoggedRequest, workspaceId: 1 },
  isOffered: ({ requestLog }) => requestLog !== undefined,
  handle: async ({ params: { requestId: id }, query }, store, { requestLog }) => {
    const request = await requestLog!.find(store.requestLog, id, query.workspaceId);
    if (!request) throw noRequest(id);
    return anyLoggedRequestView(request);
  },
});
