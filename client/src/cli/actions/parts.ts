/** How many rows one request takes. */
export const ROWS_MAX = 1_000;
/** How large its rows may be: the body may have 256 KiB, with what is around them. */
const BYTES_MAX = 240 * 1024;

/** The rows of a file in parts that each fit into one request. A row that is too large is a part of its own. */
export function partsOf<R>(rows: readonly R[], bodyOf: (row: R) => unknown): R[][] {
  const parts: R[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const rowBytes = Buffer.byteLength(JSON.stringify(bodyOf(row))) + 1;
    const part = parts.at(-1);
    if (part && part.length < ROWS_MAX && bytes + rowBytes <= BYTES_MAX) part.push(row);
    else {
      parts.push([row]);
      bytes = 0;
    }
    bytes += rowBytes;
  }
  return parts;
}
