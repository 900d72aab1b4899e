// What is worth doing once for all that comes in one turn of the event loop. Thousands of connections that never
// pause can keep the loop reading for seconds before it ends a turn; so whoever takes a request asks first
// whether the turn has lasted for long enough.

const TURN_MAX_MS = 5;

let due: (() => void)[] = [];
let beganAt = 0;

/** Calls back at the end of the turn. */
export function atTurnsEnd(callback: () => void): void {
  if (due.push(callback) > 1) return;
  beganAt = performance.now();
  setImmediate(endTurn);
}

/** Ends the turn if something waits for that and has waited for long. */
export function endLongTurn(now: number): void {
  if (due.length > 0 && now - beganAt >= TURN_MAX_MS) endTurn();
}

function endTurn(): void {
  const callbacks = due;
  due = [];
  for (const callback of callbacks) callback();
}

/** Takes things one by one and hands over together what came in one turn. */
export function perTurn<T>(handOver: (items: T[]) => void): (item: T) => void {
  let waiting: T[] = [];
  const end = () => {
    const items = waiting;
    waiting = [];
    handOver(items);
  };
  return (item) => {
    if (waiting.push(item) === 1) atTurnsEnd(end);
  };
}

/** In pieces of so many, and one with the rest; none of nothing. */
export function inPieces<T>(items: readonly T[], length: number): (readonly T[])[] {
  const pieces: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += length) pieces.push(items.slice(at, at + length));
  return pieces;
}
