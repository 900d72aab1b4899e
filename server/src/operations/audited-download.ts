import type { Readers } from '../datastore/datastore.ts';
import type { AuditAction, Author } from '../domain/logs/audit.ts';
import type { Download } from './download.ts';
import type { Call, Declaration, Dependencies, NoParams, Operation } from './operation.ts';
import type { Params, ParamsOf } from './parameters.ts';

/** Declares an operation that sends a file, and writes so to the audit log. `author` is whom the log names. */
export function auditedDownload<P extends Params = NoParams>(
  declaration: Declaration<Download, P, NoParams, 'id'> & {
    audits: readonly AuditAction[];
    handle: (
      call: Call<ParamsOf<P>, NoParams, undefined> & { author: Author },
      store: Readers,
      deps: Dependencies,
    ) => Promise<Download>;
  },
): Operation {
  return { kind: 'read', ...(declaration as unknown as Omit<Operation, 'kind'>) };
}
