import type { Movement } from '@petstore/client';
import { useKeyNames } from '../api/shared-queries.ts';
import { past } from '../ui/format.ts';
import { controlWords } from '../words/controls.ts';
import { inventoryWords } from '../words/inventory.ts';
import { movementWords } from '../words/movements.ts';
import { beforeAfterText, whoOf, whyOf } from './movement.tsx';

/** The row of the ledger that came between, when someone else changed what is open. */
export function LedgerRow({ movement }: { movement: Movement }) {
  const names = useKeyNames([movement]);
  const { cause, at } = movement;
  return (
    <>
      {inventoryWords.betweenText(
        controlWords.dotted(movementWords.causes[cause] ?? cause, whyOf(movement)),
        past(at, Date.now()),
        whoOf(movement, names),
        beforeAfterText(movement),
      )}
    </>
  );
}
