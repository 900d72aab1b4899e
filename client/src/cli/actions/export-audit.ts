import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { Admin, Audit, type ExportAuditQuery } from '../../contract.ts';
import type { Transport } from '../../transport.ts';
import { type Arguments, type Terminal, UsageError } from '../command.ts';
import { connect } from '../connection.ts';

const FIELDS = ['action', 'target', 'actor', 'from', 'to'];

/** Writes the audit log to standard output as it arrives: `petstore audit export --format csv > audit.csv`. */
export async function exportAudit(args: Arguments, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const query = queryOf(args);
  const { transport } = connect(args, terminal);
  await write(await new Audit(transport).export(query, { signal }), transport, terminal);
}

/** The same for operators, of one workspace or of all. */
export async function exportAnyAudit(args: Arguments, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const id = args.flags.get('workspace-id')?.[0];
  const query = { ...queryOf(args), ...(id === undefined ? {} : { workspaceId: Number(id) }) };
  const { transport } = connect(args, terminal);
  await write(await new Admin(transport).exportAudit(query, { signal }), transport, terminal);
}

function queryOf({ flags }: Arguments): ExportAuditQuery {
  if (flags.has('fields')) throw new UsageError('an export has all fields: leave out --fields');
  const format = flags.get('format')?.[0] ?? flags.get('output')?.[0] ?? 'ndjson';
  if (format !== 'ndjson' && format !== 'csv') {
    throw new UsageError('--format must be one of ndjson, csv');
  }
  const given = FIELDS.flatMap((name) => flags.get(name)?.map((text) => [name, text]) ?? []);
  return { format, ...Object.fromEntries(given) } as ExportAuditQuery;
}

/** A response that ends early is a lost connection. */
async function write(
  { body }: Response,
  transport: Transport,
  { stdout, signal }: Terminal,
): Promise<void> {
  if (!body) return;
  const rows = Readable.fromWeb(body as ReadableStream);
  await pipeline(rows, stdout, { end: false, signal }).catch((err: unknown) => {
    throw signal.aborted ? err : transport.failure(err, undefined);
  });
}
