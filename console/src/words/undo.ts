import { count, number, signedNumber } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const undoWords = wordsOf({
  undo: 'Undo',
  undoOf: (what: string) => `Undo: ${what}`,
  title: (pet: string) => `Undo a change to ${pet}`,
  subtitle: (what: string, when: string) => `${what}, ${when}`,
  effect: (delta: number) =>
    `On hand ${signedNumber(delta)}. Later changes stay as they are. The undo is recorded as a new row in the ledger.`,
  reason: 'Reason',
  wouldBe: (before: number, after: number) =>
    `This would work: ${number(before)} → ${number(after)} on hand. Nothing was changed yet.`,
  done: (units: number) => `Undone: ${count(units, 'unit')} on hand.`,
  tooLate: 'Stock changed again since. Undo it in the ledger.',
  wasUndone: 'undone',
  undoes: (id: number) => `undoes row ${id}`,
});
