/** For each field of a record: undefined keeps it, null removes it. */
type MergePatch<R> = { readonly [Name in keyof R]?: R[Name] | null | undefined };

/** The record after a merge patch (RFC 7396). */
export function mergePatch<R extends object>(record: R, patch: MergePatch<R>): R {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  const merged = { ...record, ...Object.fromEntries(given) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as R;
}
