import type { Pet } from '@petstore/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { scopeReason } from '../../api/session.ts';
import { lowStockAt } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { sayError } from '../../parts/say-error.ts';
import { selectsOnFocus } from '../../ui/fields/selects-on-focus.ts';
import { number } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';
import { inventoryWords as words } from '../../words/inventory.ts';

const THRESHOLD_MAX = 1_000_000;

const textOf = ({ lowStockAt }: Pet) => (lowStockAt === undefined ? '' : String(lowStockAt));

/** The number that a text means; null for none, undefined for what is no threshold. */
function thresholdOf(text: string): number | null | undefined {
  if (text === '') return null;
  return /^\d{1,7}$/.test(text) && Number(text) <= THRESHOLD_MAX ? Number(text) : undefined;
}

/**
 * The threshold of a pet, edited in place: Enter or leaving the field saves, Escape takes the input back. A pet without
 * its own has that of the store, which the empty field shows.
 */
export function Threshold({ pet }: { pet: Pet }) {
  const saved = textOf(pet);
  const [text, setText] = useState(saved);
  const isDropped = useRef(false);
  /** Whether the text was entered while another was being saved. */
  const isNext = useRef(false);
  useEffect(() => {
    if (!isNext.current) setText(saved);
  }, [saved]);
  const write = useWrite<number | null, Pet>({
    operation: 'updatePet',
    send: (lowStockAt, idempotencyKey) =>
      store.pets.update(pet.id, { lowStockAt }, { idempotencyKey }),
    onDone: (_, units) => say(words.lowAtSaved(pet.name, units)),
    onError: (err) => {
      setText(saved);
      sayError(err);
    },
    onDropped: () => setText(saved),
  });
  const save = () => {
    const threshold = thresholdOf(text.trim());
    if (isDropped.current || text.trim() === saved) setText(saved);
    else if (threshold === undefined) say(words.needsLowAt, { tone: 'bad' });
    else if (write.state === 'idle') write.run(threshold);
    else isNext.current = true;
    isDropped.current = false;
  };
  useEffect(() => {
    if (write.state !== 'idle' || !isNext.current) return;
    isNext.current = false;
    save();
  }, [write.state]);
  if (scopeReason('write') !== undefined) return <>{number(lowStockAt(pet))}</>;
  return (
    <input
      class="input threshold"
      inputMode="numeric"
      aria-label={words.lowAtOf(pet.name)}
      aria-invalid={thresholdOf(text.trim()) === undefined || undefined}
      placeholder={String(lowStockAt())}
      value={text}
      onInput={({ currentTarget: { value } }) => setText(value)}
      {...selectsOnFocus}
      onBlur={save}
      onKeyDown={(event) => {
        const { key, currentTarget } = event;
        if (key !== 'Enter' && key !== 'Escape') return;
        event.preventDefault();
        isDropped.current = key === 'Escape';
        currentTarget.blur();
        currentTarget.focus();
      }}
    />
  );
}
