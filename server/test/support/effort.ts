export const isThorough = process.env.THOROUGH === '1';

/** How often a test repeats a crash, a race or a random case: usually, and in `npm run torture -- --only tests`. */
export function repeats({ usual, thorough }: { usual: number; thorough: number }): number {
  return isThorough ? thorough : usual;
}
