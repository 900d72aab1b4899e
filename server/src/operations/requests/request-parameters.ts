import { invalidField, notFoundAnywhere } from '../../domain/errors.ts';
import type { RequestFilter } from '../../domain/logs/request.ts';
import { instant, KEY_ID_LENGTH_MAX, type Param, pathText, text } from '../parameters.ts';

const NAME_LENGTH_MAX = 100;
const requestIdForm = { pattern: /^[\w.:/+=@-]{1,128}$/, example: '8c1f0b6e92d47a3f5e-4f' };

export const requestId = pathText('ID of the request.', requestIdForm);
/** For the operator, who sees all workspaces. */
export const anyRequestId = pathText('ID of the request.', requestIdForm, notFoundAnywhere);

const status: Param<NonNullable<RequestFilter['status']>> = {
  description: 'Only requests with this status, such as `409`, or of this class, such as `4xx`.',
  schema: { type: 'string', pattern: '^[1-5](xx|[0-9]{2})$' },
  parse: (value, name) => {
    if (!/^[1-5](xx|\d\d)$/.test(value)) {
      throw invalidField(name, 'must be a status such as 409, or a class such as 4xx');
    }
    const lowest = Number(value.replace('xx', '00'));
    return { lowest, highest: value.endsWith('xx') ? lowest + 99 : lowest };
  },
};

/** The filters of the request log. */
export const requestFilters = {
  status,
  code: text('Only requests that failed with this code.', NAME_LENGTH_MAX),
  operationId: text('Only requests of this operation.', NAME_LENGTH_MAX),
  keyId: text('Only requests of this API key or session.', KEY_ID_LENGTH_MAX),
  from: instant('Only requests at this time or later.'),
  to: instant('Only requests before this time.'),
};
