export interface ConflictField {
  name: string;
  /** What the user saw, where their change keeps what others made of the field. */
  before?: string;
  theirs: string;
  yours: string;
}

/**
 * The fields that someone else left otherwise than the user wants them, and then also those that they left otherwise than
 * the user saw them. None if all is as the user wants it.
 */
export function differing(fields: readonly ConflictField[]): ConflictField[] {
  if (fields.every(({ theirs, yours }) => theirs === yours)) return [];
  return fields.filter(
    ({ before, theirs, yours }) => theirs !== yours || (before !== undefined && before !== theirs),
  );
}
