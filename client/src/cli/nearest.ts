/** The word that differs least from what was written, for a "did you mean"; undefined if none is close. */
export function nearest(written: string, words: readonly string[]): string | undefined {
  const closeness = Math.max(1, Math.floor(written.length / 3));
  const ranked = words
    .map((word) => ({ word, edits: editsBetween(written, word) }))
    .filter(({ edits }) => edits <= closeness)
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.word;
}

/** How many letters must be inserted, deleted or replaced (Levenshtein's distance). */
function editsBetween(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[to.length]!;
}
