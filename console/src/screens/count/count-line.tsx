import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { selectsOnFocus } from '../../ui/fields/selects-on-focus.ts';
import { number } from '../../ui/format.ts';
import { countWords as words } from '../../words/count.ts';
import { inventoryWords } from '../../words/inventory.ts';
import { movementWords } from '../../words/movements.ts';
import { type CountRow, differenceOf, isWrong, scannedIn, unitsOf } from './count-row.ts';
import { changeRow, valuesOf } from './counting.ts';
import { showsExpected } from './shows-expected.ts';

interface CountLineProps {
  row: Signal<CountRow>;
  /** Goes to the pet that a text means; false if there is none. */
  find: (text: string) => boolean;
  onNext: () => void;
}

/** A pet and the field for its count. It alone is drawn when its count changes. */
export function CountLine({ row, find, onNext }: CountLineProps) {
  const { petId, name, reference, counted, problem } = row.value;
  const before = useRef<Partial<CountRow>>({});
  const isNoNumber = isWrong(row.value);
  const noteId = `count-note-${petId}`;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    // A scanner types a reference into whichever field has the focus, over its count or behind it.
    const scanned = scannedIn(valuesOf(), counted);
    if ((scanned || isNoNumber) && find(scanned?.reference ?? counted)) {
      changeRow(row, scanned?.counted ? { counted: scanned.counted } : before.current);
    } else if (!isNoNumber) onNext();
  };
  return (
    <li class={problem === undefined ? undefined : 'conflict'}>
      <label for={`count-${petId}`}>
        <span class="name">{name}</span>
        <span class="second muted small">
          {reference === undefined ? movementWords.pet(petId) : words.note(reference, petId)}
        </span>
      </label>
      <input
        id={`count-${petId}`}
        class="input"
        inputMode="numeric"
        enterkeyhint="next"
        autocomplete="off"
        aria-label={words.countOf(name)}
        aria-describedby={noteId}
        aria-invalid={isNoNumber || undefined}
        value={counted}
        onInput={({ currentTarget: { value } }) =>
          changeRow(row, { counted: value, problem: undefined })
        }
        onKeyDown={onKeyDown}
        {...selectsOnFocus}
        onFocus={(event) => {
          before.current = { counted, problem };
          selectsOnFocus.onFocus(event);
        }}
      />
      <span id={noteId} class="count-note">
        <Note row={row.value} />
      </span>
      {problem !== undefined && (
        <p class="error" role="alert">
          {problem}{' '}
          <Button size="small" onClick={() => changeRow(row, { problem: undefined })}>
            {words.stillRight(unitsOf(counted) ?? 0)}
          </Button>
        </p>
      )}
    </li>
  );
}

/** What is expected, hidden until a count is typed: one who knows it counts what is expected. */
function Note({ row }: { row: CountRow }) {
  const difference = differenceOf(row);
  if (isWrong(row)) {
    return <span class="text-bad">{inventoryWords.needsCount}</span>;
  }
  if (difference === undefined) {
    return <span class="muted">{showsExpected.value && words.expected(row.expected)}</span>;
  }
  if (difference === 0) return <span class="text-good">{words.same}</span>;
  return (
    <>
      <strong class="text-warn">{words.difference(difference)}</strong>
      <span class="second muted small">{words.expected(row.expected)}</span>
    </>
  );
}

export const unitsText = (row: CountRow) => number(unitsOf(row.counted) ?? 0);
