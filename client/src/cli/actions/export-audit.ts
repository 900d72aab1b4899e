import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { Audit, type ExportAuditQuery } from '../../contract.ts';
import { type Arguments, type Terminal, UsageError } from '../command.ts';
import { connect } from '../connection.ts';

const FIELDS = ['action', 'target', 'actor', 'from', 'to'];

/** Writes the audit log to standard output as it arrives: `petstore audit export --format csv > audit.csv`. */
export async function exportAudit(args: Arguments, terminal: Terminal): Promise<void> {
  const format = args.flags.get('format')?.[0] ?? 'ndjson';
  if (format !== 'ndjson' && format !== 'csv') {
    throw new UsageError('--format must be one of ndjson, csv');
  }
  const given = FIELDS.flatMap((name) => args.flags.get(name)?.map((text) => [name, text]) ?? []);
  const query = { format, ...Object.fromEntries(given) } as ExportAuditQuery;
  const { signal, stdout } = terminal;
  const { body } = await new Audit(connect(args, terminal).transport).export(query, { signal });
  if (!body) return;
  await pipeline(Readable.fromWeb(body as ReadableStream), stdout, { end: false, signal });
}
