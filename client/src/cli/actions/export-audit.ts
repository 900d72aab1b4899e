import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { Admin, Audit, type ExportAuditQuery } from '../../contract.ts';
import { type Arguments, type Terminal, UsageError } from '../command.ts';
import { connect } from '../connection.ts';

const FIELDS = ['action', 'target', 'actor', 'from', 'to'];

/** Writes the audit log to standard output as it arrives: `petstore audit export --format csv > audit.csv`. */
export async function exportAudit(args: Arguments, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const audit = new Audit(connect(args, terminal).transport);
  await write(await audit.export(queryOf(args), { signal }), terminal);
}

/** The same for operators, of one workspace or of all. */
export async function exportAnyAudit(args: Arguments, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const id = args.flags.get('workspace-id')?.[0];
  const query = { ...queryOf(args), ...(id === undefined ? {} : { workspaceId: Number(id) }) };
  const admin = new Admin(connect(args, terminal).transport);
  await write(await admin.exportAudit(query, { signal }), terminal);
}

function queryOf({ flags }: Arguments): ExportAuditQuery {
  const format = flags.get('format')?.[0] ?? 'ndjson';
  if (format !== 'ndjson' && format !== 'csv') {
    throw new UsageError('--format must be one of ndjson, csv');
  }
  const given = FIELDS.flatMap((name) => flags.get(name)?.map((text) => [name, text]) ?? []);
  return { format, ...Object.fromEntries(given) } as ExportAuditQuery;
}

async function write({ body }: Response, { stdout, signal }: Terminal): Promise<void> {
  if (!body) return;
  await pipeline(Readable.fromWeb(body as ReadableStream), stdout, { end: false, signal });
}
