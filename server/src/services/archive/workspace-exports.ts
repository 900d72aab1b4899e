import type { Datastore } from '../../datastore/datastore.ts';
import { MINUTE_MS } from '../../domain/durations.ts';
import { noWorkspace, Refusal } from '../../domain/errors.ts';
import type { Author } from '../../domain/logs/audit.ts';
import type { Clock } from '../../lib/clock.ts';
import { numberFeed } from '../events/numbering.ts';
import { authoredBy, recordAudit } from '../logs/audit.ts';
import { type ArchiveRequest, archiveOf, gzipped } from './write-archive.ts';

/** How many a node makes at once. */
export const EXPORTS_MAX = 2;
/** A client that has not read all of an export by then is cut off: the database keeps what it has read, and more. */
export const EXPORT_MS_MAX = 15 * MINUTE_MS;
const RETRY_SECONDS = 30;

type ExportStore = Pick<Datastore, 'read' | 'transact' | 'snapshot'>;

/** The exports that run on this node. */
export class WorkspaceExports {
  readonly #store: ExportStore;
  readonly #clock: Clock;
  readonly #timeMaxMs: number;
  #running = 0;

  constructor(store: ExportStore, clock: Clock, { timeMaxMs = EXPORT_MS_MAX } = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#timeMaxMs = timeMaxMs;
  }

  get running(): number {
    return this.#running;
  }

  /** The bytes of the archive. It begins, or is refused, when the first of them are asked for. */
  export(request: Omit<ArchiveRequest, 'now'>, by: Author): AsyncGenerator<Buffer> {
    return gzipped(this.#parts(request, by));
  }

  async *#parts(request: Omit<ArchiveRequest, 'now'>, by: Author): AsyncGenerator<Buffer> {
    if (this.#running >= EXPORTS_MAX) {
      throw new Refusal('too_many_exports', {
        details: { max: EXPORTS_MAX },
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    this.#running += 1;
    try {
      const until = this.#clock.now() + this.#timeMaxMs;
      for await (const part of exportWorkspace(this.#store, this.#clock, { ...request, by })) {
        if (this.#clock.now() > until) throw new Error('the export took too long');
        yield part;
      }
    } finally {
      this.#running -= 1;
    }
  }
}

/** The archive of a workspace at one moment, not compressed. The audit log names who asked for it, before it begins. */
export async function* exportWorkspace(
  store: ExportStore,
  clock: Clock,
  { workspaceId, audience, by }: Omit<ArchiveRequest, 'now'> & { by?: Author },
): AsyncGenerator<Buffer> {
  const now = clock.now();
  if (!(await store.read.workspaces.find(workspaceId))) throw noWorkspace(workspaceId);
  const audit = { workspaceId, action: 'workspace.exported', target: 'workspace', now } as const;
  await store.transact((tx) => recordAudit(by ? authoredBy(tx, by) : tx, audit));
  await numberFeed(store, workspaceId);
  const snapshot = await store.snapshot();
  try {
    yield* archiveOf(snapshot.read, { workspaceId, audience, now });
  } finally {
    await snapshot.close();
  }
}
