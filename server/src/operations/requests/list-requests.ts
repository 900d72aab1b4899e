import { mapPage } from '../../datastore/list.ts';
import { readOperation } from '../operation.ts';
import { exampleLoggedRequest, LoggedRequest } from '../schemas/logs/request.ts';
import { listOf } from '../success.ts';
import { loggedRequestView } from '../views/logs.ts';
import { requestFilters } from './request-parameters.ts';

export const listRequests = readOperation({
  id: 'listRequests',
  method: 'GET',
  path: '/requests',
  tag: 'requests',
  scope: 'read',
  metering: 'requests',
  summary: 'List the requests that wrote or were refused',
  description:
    'Newest first. Successful reads are not kept: `GET /usage` counts them. A request is here at once on the node that served it, and within 5 seconds on the others. A filtered page may have fewer rows than `limit`, or none; continue while there is a `next` link. Costs no quota; at most 60 a minute per key.',
  query: requestFilters,
  list: { sorts: ['at'], defaultSort: '-at' },
  success: listOf(LoggedRequest, 'The requests, one page at a time.'),
  example: [exampleLoggedRequest],
  isOffered: ({ requestLog }) => requestLog !== undefined,
  handle: async ({ caller, query: filter, page }, store, { requestLog }) => {
    const { workspaceId, scopes } = caller;
    const found = await requestLog!.list(store.requestLog, { workspaceId, filter, page });
    const isAddressShown = scopes.includes('manage');
    return mapPage(found, (request) => loggedRequestView(request, { isAddressShown }));
  },
});
