export interface ConflictField {
  name: string;
  theirs: string;
  yours: string;
}

/** The fields that someone else left otherwise than the user wants them. */
export function differing(fields: readonly ConflictField[]): ConflictField[] {
  return fields.filter(({ theirs, yours }) => theirs !== yours);
}
