/** Storage did not answer, or refused for a reason of its own. Nothing was changed, unless it is an OutcomeUnknown. */
export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super(`storage unavailable: ${reasonOf(cause)}`, { cause });
  }
}

/** A host with several addresses fails with one error for each, and without a text of its own. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && !cause.message) {
    return cause.errors.map(reasonOf).join(', ');
  }
  if (!(cause instanceof Error)) return String(cause);
  return isDamage(cause) ? `${cause.message}: ${RESTORE}` : cause.message;
}

/** What to do about a damaged file of SQLite. */
export const RESTORE =
  'restore a backup into an empty folder with petstore server restore --from COPY --to FOLDER';

/** Whether SQLite says that its file is damaged, or that it is none of its own. */
export function isDamage(err: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test((err as { code?: string } | undefined)?.code ?? '');
}

/** Too many wait for storage, or this one has waited for too long. Nothing was sent. */
export class StorageBusy extends StorageUnavailable {}

/**
 * A commit was sent, and storage did not say in time whether it took place. The change may have been made, or may
 * still be made.
 */
export class OutcomeUnknown extends StorageUnavailable {}

/** A constraint of the schema refused a write. The unit of work it belongs to is rolled back. */
export class ConstraintViolation extends Error {
  readonly kind: 'unique' | 'foreign_key' | 'check';
  constructor(kind: ConstraintViolation['kind'], cause: unknown) {
    super(`${kind} constraint violated`, { cause });
    this.kind = kind;
  }
}

/** Another transaction changed the same rows first. The whole unit of work runs again. */
export class Conflict extends Error {}

/** This version must not use the database. The service does not start on it. */
export class UnusableDatabase extends Error {}

/** The database lacks migrations of this version, and this command must not apply them: an older node may be serving. */
export class OutdatedStore extends UnusableDatabase {
  constructor(pending: number) {
    const migrations = pending === 1 ? 'a migration' : `${pending} migrations`;
    super(`the database lacks ${migrations} of this version: run petstore server migrate`);
  }
}

/** There is no store at the place where one was looked for. */
export class MissingStore extends UnusableDatabase {
  constructor(place: string) {
    super(
      `there is no store at ${place}: start the service once to create it, or set PETSTORE_DATA_DIR or PETSTORE_DATABASE_URL to where it is`,
    );
  }
}
