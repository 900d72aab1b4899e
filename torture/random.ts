// Numbers that a seed repeats. Each writer, and each part of a run, draws from a sequence of its own: what the others do in
// the meantime does not change its numbers.

export type Random = () => number;

let seed = 1;
let sequences = 0;

/** Begins anew, with the first sequence of a seed. */
export function setSeed(value: number): void {
  seed = value;
  sequences = 0;
}

/** The next sequence of numbers from 0 to 1, 1 excluded. */
export function newRandom(): Random {
  sequences += 1;
  let state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(sequences, 0x85ebca6b);
  // mulberry32 by Tommy Ettinger.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
