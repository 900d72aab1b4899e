/** Takes things one by one and hands over together what came in one turn of the event loop. */
export function perTurn<T>(handOver: (items: T[]) => void): (item: T) => void {
  let waiting: T[] = [];
  const end = () => {
    const items = waiting;
    waiting = [];
    handOver(items);
  };
  return (item) => {
    if (waiting.push(item) === 1) setImmediate(end);
  };
}

/** In pieces of so many, and one with the rest; none of nothing. */
export function inPieces<T>(items: readonly T[], length: number): (readonly T[])[] {
  const pieces: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += length) pieces.push(items.slice(at, at + length));
  return pieces;
}
