import { auditActions } from '../../domain/audit.ts';
import { instant, oneOf, text } from '../parameters.ts';

const TEXT_LENGTH_MAX = 300;

/** The filters of the audit log. */
export const auditFilters = {
  action: oneOf('Only rows of this action.', auditActions),
  target: text('Only rows about this: `key:ID`, `webhook:3`, `workspace`.', TEXT_LENGTH_MAX),
  actor: text('Only rows of the actor with this id, such as a key.', TEXT_LENGTH_MAX),
  from: instant('Only rows at this time or later.'),
  to: instant('Only rows before this time.'),
};
