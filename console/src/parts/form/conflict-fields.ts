export interface ConflictField {
  name: string;
  /** The value that the user saw when the record was opened. */
  before?: string;
  theirs: string;
  yours: string;
}

/**
 * The rows of a conflict. Without a difference between theirs and yours there is no conflict and no row. Otherwise a field
 * has a row if theirs and yours differ, or if someone else has changed it.
 */
export function differing(fields: readonly ConflictField[]): ConflictField[] {
  if (fields.every(({ theirs, yours }) => theirs === yours)) return [];
  return fields.filter(
    ({ before, theirs, yours }) => theirs !== yours || (before !== undefined && before !== theirs),
  );
}

interface Versions<Draft> {
  /** The record as the user opened it. */
  before: Draft;
  theirs: Draft;
  yours: Draft;
}

/** The fields of the three versions in words. */
export function conflictOf<Draft>(
  textsOf: (draft: Draft) => Record<string, string>,
  { before, theirs, yours }: Versions<Draft>,
): Required<ConflictField>[] {
  const [old, own] = [textsOf(before), textsOf(yours)];
  return Object.entries(textsOf(theirs)).map(([name, text]) => {
    return { name, before: old[name]!, theirs: text, yours: own[name]! };
  });
}
