import { auditActions } from '../../domain/logs/audit.ts';
import { type ExportFormat, exportTypes } from '../../services/logs/audit.ts';
import { instant, oneOf, text } from '../parameters.ts';
import type { Download } from '../success.ts';

const TEXT_LENGTH_MAX = 300;

/** The filters of the audit log. */
export const auditFilters = {
  action: oneOf('Only rows of this action.', auditActions),
  target: text('Only rows about this: `key:ID`, `webhook:3`, `workspace`.', TEXT_LENGTH_MAX),
  actor: text('Only rows of the actor with this id, such as a key.', TEXT_LENGTH_MAX),
  from: instant('Only rows at this time or later.'),
  to: instant('Only rows before this time.'),
};

export const exportFormat = oneOf('The format; `ndjson` if absent.', ['ndjson', 'csv'], {
  default: 'ndjson',
});
export const exportTypeList = Object.values(exportTypes);

export function downloadOf(format: ExportFormat, chunks: AsyncIterable<string>): Download {
  return { type: exportTypes[format], fileName: `audit.${format}`, chunks };
}
