// Makes a new workspace of an archive. The archive is read twice: all of it is checked before anything is written.

import { createHash, randomBytes } from 'node:crypto';
import type { Datastore, Transaction } from '../../datastore/datastore.ts';
import { ConstraintViolation } from '../../datastore/failures.ts';
import type { Row } from '../../datastore/runner.ts';
import { getTable } from '../../datastore/tables.ts';
import { commandKeyIds } from '../../domain/key.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { Clock } from '../../lib/clock.ts';
import { BrokenArchive } from '../../lib/tar.ts';
import { newWebhookSecret, webhookSecretHint } from '../../lib/webhook-secret.ts';
import { type CreatedKey, createKey } from '../keys.ts';
import { recordAudit } from '../logs/audit.ts';
import { type ArchiveSummary, summarise } from './check-archive.ts';
import type { Target } from './fields.ts';
import { nouns } from './nouns.ts';
import { type ArchivePart, readArchive } from './read-archive.ts';

/** How many rows one transaction inserts. */
const BATCH = 500;
/** Of an id that `lib/api-key.ts` makes. */
const KEY_ID_LENGTH = 12;
const REASON = 'The import of the workspace is not complete.';

type ImportStep = 'checking' | 'importing';

interface ImportOptions {
  file: string;
  clock: Clock;
  /** Seals the secret of a webhook. Without it webhooks stay behind. */
  seal?: ((secret: string, workspaceId: number) => string) | undefined;
  onProgress?: (step: ImportStep, bytesRead: number) => void;
}

interface Imported {
  workspace: Workspace;
  key: CreatedKey;
  /** How many records of each noun there are now. */
  records: Record<string, number>;
}

export async function importWorkspace(
  store: Datastore,
  { file, clock, seal, onProgress }: ImportOptions,
): Promise<Imported> {
  const progress = (step: ImportStep) => (done: number) => onProgress?.(step, done);
  const summary = await summarise(readArchive(file, { onBytes: progress('checking') }));
  const workspace = await store.transact((tx) => begin(tx, summary, clock.now()));
  try {
    const target = await targetOf(store, { summary, workspace, seal, now: clock.now() });
    const parts = readArchive(file, { onBytes: progress('importing') });
    const records = await insertAll(store, { parts, target, clock, isSealed: seal !== undefined });
    await refuseDifferences(store, workspace.id);
    const key = await store.transact((tx) => finish(tx, { workspace, records, now: clock.now() }));
    return { workspace, key, records };
  } catch (err) {
    await store.transact((tx) => tx.imports.abandon(workspace.id, clock.now()));
    if (!(err instanceof ConstraintViolation)) throw err;
    throw new BrokenArchive('its records do not fit together', { cause: err });
  }
}

/** The workspace is not usable yet: it is closing and has no key. */
async function begin(
  tx: Transaction,
  { workspace, feed, arrivals }: ArchiveSummary,
  now: number,
): Promise<Workspace> {
  const created = await tx.workspaces.create(workspace);
  const closed = { closedAt: now, closedBy: 'operator', closeReason: REASON } as const;
  await tx.workspaces.update({ ...created, ...closed, eraseAt: now });
  await tx.imports.extend(created.id, now);
  await tx.imports.insertHead(created.id, feed.firstSequence, feed.lastSequence + arrivals);
  return created;
}

/** From here on it is a workspace like any other, with one active key. */
async function finish(
  tx: Transaction,
  { workspace, records, now }: { workspace: Workspace; records: object; now: number },
): Promise<CreatedKey> {
  const { id: workspaceId, name } = workspace;
  if (!(await tx.imports.finish(workspaceId, now))) throw new BrokenArchive(CLOSED);
  await tx.workspaces.update({ ...workspace, activeSince: now });
  const after = { name, records };
  const audit = { workspaceId, action: 'workspace.imported', target: 'workspace' } as const;
  await recordAudit(tx, { ...audit, after, now });
  const scopes = ['read', 'write', 'manage'] as const;
  return createKey(tx, { workspaceId, key: { name: 'first key', scopes }, now });
}

const CLOSED = 'the workspace was reopened or erased while it was imported';

interface TargetOptions {
  summary: ArchiveSummary;
  workspace: Workspace;
  seal: ImportOptions['seal'];
  now: number;
}

/** Ids keep their order: each is moved by the same number, so that no list of them is needed. */
async function targetOf(
  store: Datastore,
  { summary, workspace, seal, now }: TargetOptions,
): Promise<Target> {
  const moves = new Map<string, number>();
  for (const [name, { first, last }] of summary.ids) {
    const before = await store.transact((tx) =>
      tx.imports.reserveIds(getTable(name), last - first + 1),
    );
    moves.set(name, before + 1 - first);
  }
  const salt = randomBytes(16);
  let { lastSequence } = summary.feed;
  return {
    workspaceId: workspace.id,
    now,
    id: (table, id) => id + (moves.get(table) ?? 0),
    keyId: (id) => (commandKeyIds.includes(id) ? id : otherKeyId(salt, id)),
    nextSequence: () => ++lastSequence,
    newSecret: () => {
      const secret = newWebhookSecret();
      return { sealed: seal!(secret, workspace.id), hint: webhookSecretHint(secret) };
    },
  };
}

/** As random as an id of this service, and always the same for one id of the archive. */
function otherKeyId(salt: Buffer, id: string): string {
  const digest = createHash('sha256').update(salt).update(id).digest('base64');
  return digest.replace(/[^0-9A-Za-z]/g, '').slice(0, KEY_ID_LENGTH);
}

interface Insertion {
  parts: AsyncIterable<ArchivePart>;
  target: Target;
  clock: Clock;
  /** Whether webhooks can be given secrets. */
  isSealed: boolean;
}

/** Inserts all records in batches. Returns how many there are of each noun. */
async function insertAll(
  store: Datastore,
  { parts, target, clock, isSealed }: Insertion,
): Promise<Record<string, number>> {
  const { workspaceId } = target;
  const counts: Record<string, number> = {};
  for await (const { noun: name, lines } of parts) {
    const noun = nouns.find((each) => each.name === name);
    if (!noun?.rowOf || (name === 'webhooks' && !isSealed)) continue;
    const rows = lines.map((line) => noun.rowOf!(line, target)).filter((row) => row !== undefined);
    for (const batch of chunksOf<Row>(rows, BATCH)) {
      await store.transact(async (tx) => {
        if (!(await tx.imports.extend(workspaceId, clock.now()))) throw new BrokenArchive(CLOSED);
        await tx.imports.insert(workspaceId, noun.into ?? noun.table, batch);
      });
    }
    counts[name] = (counts[name] ?? 0) + rows.length;
  }
  return counts;
}

/** What does not add up was not exported by this service. */
async function refuseDifferences(store: Datastore, workspaceId: number): Promise<void> {
  const { reserved, ledger, links } = await store.read.audit.differences(workspaceId);
  const pets = new Set([...reserved, ...ledger, ...links].map(({ petId }) => petId));
  if (pets.size === 0) return;
  throw new BrokenArchive(`its counts, orders and ledger differ for ${pets.size} pets`);
}
