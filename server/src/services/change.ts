import type { Caller } from '../domain/key.ts';

// Every service takes a transaction and one object: what the caller wants, together with one of these.

/** Who makes a change, and when. */
export interface Change {
  caller: Caller;
  now: number;
}

/** A change of one existing record. */
export interface RecordChange<R> extends Change {
  id: number;
  /** Throws a Refusal if the caller made the change for another version of the record. */
  checkMatch: (current: R) => void;
}
