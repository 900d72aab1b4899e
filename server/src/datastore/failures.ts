/** Storage did not answer, or refused for a reason of its own: nothing was changed, try again. */
export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super(`storage unavailable: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** A constraint of the schema turned a write down. The unit of work it belongs to is rolled back. */
export class ConstraintViolation extends Error {
  readonly kind: 'unique' | 'foreign_key' | 'check';
  constructor(kind: ConstraintViolation['kind'], cause: unknown) {
    super(`${kind} constraint violated`, { cause });
    this.kind = kind;
  }
}

/** Another transaction got in between: the whole unit of work runs again. */
export class Conflict extends Error {}

/** The database is not one that this version may touch; starting on it is refused. */
export class UnusableDatabase extends Error {}
