export const isThorough = process.env.THOROUGH === '1';

/** How often a test repeats a crash, a race or a random case: usually, and in `npm run torture -- --only tests`. */
export function repeats({ usual, thorough }: { usual: number; thorough: number }): number {
  return isThorough ? thorough : usual;
}

/** The cases of what is refused before the database is asked, or never depends on it: one engine tries them. */
export function onOne<T>(cases: readonly T[]): readonly T[] {
  return process.env.TEST_ENGINE === 'postgres' && !isThorough ? [] : cases;
}
