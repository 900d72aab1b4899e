import { mapPage } from '../../datastore/list.ts';
import { NO_WORKSPACE } from '../../domain/workspace.ts';
import { readOperation } from '../operation.ts';
import { queryId } from '../parameters.ts';
import { requestFilters } from '../requests/request-parameters.ts';
import { exampleLoggedRequest, LoggedRequest } from '../schemas/logs/request.ts';
import { listOf } from '../success.ts';
import { anyLoggedRequestView } from '../views/logs.ts';

export const adminListRequests = readOperation({
  id: 'adminListRequests',
  method: 'GET',
  path: '/admin/requests',
  tag: 'admin',
  scope: 'operate',
  metering: 'requests',
  summary: 'List the requests of any workspace that wrote or were refused',
  description:
    'Newest first. Without `workspaceId`, the requests that had no valid key. Costs no quota; at most 60 a minute per key.',
  query: { workspaceId: queryId('Requests of this workspace.'), ...requestFilters },
  list: { sorts: ['at'], defaultSort: '-at' },
  success: listOf(LoggedRequest, 'The requests, one page at a time.'),
  example: [{ ...exampleLoggedRequest, workspaceId: 1 }],
  isOffered: ({ requestLog }) => requestLog !== undefined,
  handle: async ({ query, page }, store, { requestLog }) => {
    const { workspaceId = NO_WORKSPACE, ...filter } = query;
    const wanted = { workspaceId, filter, page };
    return mapPage(await requestLog!.list(store.requestLog, wanted), anyLoggedRequestView);
  },
});
