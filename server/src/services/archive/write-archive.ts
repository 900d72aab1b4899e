// The archive of a workspace: a tar file with a manifest, for each noun one or more files of lines of JSON, and at last the
// digests of all of them. A file is at most PART_BYTES_MAX long and is made in memory, because its header has its size. So
// an archive of any size needs neither much memory nor a disk.

import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { Readers } from '../../datastore/datastore.ts';
import { noWorkspace } from '../../domain/errors.ts';
import { isInForce, type Limits, type PlanId, planIds } from '../../domain/plan.ts';
import { standingOf, type Workspace } from '../../domain/workspace.ts';
import { formatInstant } from '../../lib/instant.ts';
import { BrokenArchive, TAR_END, tarEntry } from '../../lib/tar.ts';
import { instantIn, textIn, wholeIn } from './fields.ts';
import type { Audience, Line, Noun } from './noun.ts';
import { nouns } from './nouns.ts';

export const ARCHIVE_FORMAT = 'petstore-workspace';
export const ARCHIVE_VERSION = 1;
export const MANIFEST = 'manifest.json';
export const SUMS = 'SHA256SUMS';
/** A file is closed before it grows beyond this, unless one line does. */
export const PART_BYTES_MAX = 1024 * 1024;
/** How many rows are read at once. Between two reads other requests are served. */
const ROWS = 100;
/** Lines of JSON compress well at any level, and this one takes a third of the time of the default. */
const GZIP_LEVEL = 3;
const CHUNK_BYTES = 64 * 1024;
const DIGITS = 6;

export interface ArchiveRequest {
  workspaceId: number;
  audience: Audience;
  now: number;
}

export function partName(noun: string, number: number): string {
  return `${noun}-${String(number).padStart(DIGITS, '0')}.ndjson`;
}

/** The archive as it is stored. What is read is that of one moment, if the readers are those of a snapshot. */
export async function* archiveOf(read: Readers, request: ArchiveRequest): AsyncGenerator<Buffer> {
  const { workspaceId, now } = request;
  const workspace = await read.workspaces.find(workspaceId);
  if (!workspace) throw noWorkspace(workspaceId);
  const sums: string[] = [];
  const entry = (name: string, text: string) => {
    const content = Buffer.from(text);
    if (name !== SUMS)
      sums.push(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
    return tarEntry({ name, content }, now);
  };
  const { firstSequence, lastSequence } = await read.events.head(workspaceId);
  const manifest = {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    workspaceId,
    exportedAt: formatInstant(now),
    feed: { firstSequence, lastSequence },
    nouns: ['workspace', ...nouns.map(({ name }) => name)],
  };
  yield entry(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
  yield entry(partName('workspace', 1), `${workspaceLine(workspace, now)}\n`);
  for (const noun of nouns) {
    let number = 0;
    for await (const part of partsOf(read, noun, request)) {
      number += 1;
      yield entry(partName(noun.name, number), part);
    }
  }
  yield entry(SUMS, sums.join(''));
  yield TAR_END;
}

/** The lines of a noun, as the texts of its files. A noun without records has one file, which is empty. */
async function* partsOf(
  read: Readers,
  { table, lineOf }: Noun,
  { workspaceId, audience }: ArchiveRequest,
): AsyncGenerator<string> {
  let lines: string[] = [];
  let bytes = 0;
  for (let after: readonly unknown[] | undefined; ; ) {
    const rows = await read.tables.pageOf(workspaceId, table, { after, limit: ROWS });
    for (const row of rows) {
      const line = `${lineOf(row, audience)}\n`;
      const more = Buffer.byteLength(line);
      if (bytes > 0 && bytes + more > PART_BYTES_MAX) {
        yield lines.join('');
        lines = [];
        bytes = 0;
      }
      lines.push(line);
      bytes += more;
    }
    if (rows.length < ROWS) break;
    after = rows.at(-1);
    // SQLite answers at once: without a pause, nothing else would run until the end.
    await setImmediate();
  }
  yield lines.join('');
}

/** Begins with the first part that is asked for, and ends the source when no more are. */
export async function* gzipped(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: CHUNK_BYTES });
  // An error of the source is that of the stream, and is thrown to its reader.
  pipeline(Readable.from(parts, { objectMode: false }), gzip, () => undefined);
  yield* gzip as AsyncIterable<Buffer>;
}

/** The workspace as the API shows it. */
function workspaceLine(workspace: Workspace, now: number): string {
  const { id, name, plan, limits, grant, lowStockAt, createdAt } = workspace;
  const isGranted = grant !== undefined && isInForce(grant, now);
  const { state, since, reason, eraseAt } = standingOf(workspace);
  return JSON.stringify({
    id,
    name,
    plan,
    limits,
    grant: isGranted ? { ...grant, endsAt: formatInstant(grant.endsAt) } : undefined,
    lowStockAt,
    createdAt: formatInstant(createdAt),
    state,
    stateSince: formatInstant(since),
    stateReason: reason,
    eraseAt: eraseAt === undefined ? undefined : formatInstant(eraseAt),
  });
}

export type NewWorkspace = Pick<Workspace, 'name' | 'plan' | 'limits' | 'createdAt' | 'lowStockAt'>;

/** The workspace that a line makes. It is active, whatever state it had. */
export function workspaceIn({ name, plan, limits, createdAt, lowStockAt }: Line): NewWorkspace {
  const { perMinute, perDay } = (limits ?? {}) as Partial<Limits>;
  if (!planIds.includes(plan as PlanId)) throw new BrokenArchive('plan is none');
  return {
    name: textIn(name),
    plan: plan as PlanId,
    limits: { perMinute: wholeIn(perMinute), perDay: wholeIn(perDay) },
    createdAt: instantIn(createdAt),
    ...(lowStockAt === undefined ? {} : { lowStockAt: wholeIn(lowStockAt) }),
  };
}
