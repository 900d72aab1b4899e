export const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The fields that differ from those of `first`. */
export function changesOf<Fields extends object>(first: Fields, now: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !isSame(value, first[name as keyof Fields])),
  ) as Partial<Fields>;
}
