import type { Signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { say } from '../../ui/say.ts';
import { countWords as words } from '../../words/count.ts';
import { CountLine } from './count-line.tsx';
import { type CountRow, findRow, nextOpen } from './count-row.ts';
import { endCount, isKept, totals, valuesOf } from './counting.ts';
import { FinishDialog } from './finish-dialog.tsx';
import { Review } from './review.tsx';
import { setShowsExpected, showsExpected } from './shows-expected.ts';

const REVIEW = 'count-review';

/** All pets of the count, a field for each. Enter goes to the next one. */
export function CountList({ rows }: { rows: readonly Signal<CountRow>[] }) {
  const list = useRef<HTMLOListElement>(null);
  const [open, setOpen] = useState<'review' | 'finish' | undefined>(undefined);
  const focus = (place: number) => {
    const field = list.current!.querySelectorAll('input')[place];
    field?.focus();
    field?.scrollIntoView({ block: 'center' });
    return field !== undefined;
  };
  /** Goes to the pet that a text means. */
  const find = (text: string) => focus(findRow(valuesOf(), text));
  const goOn = (place?: number) => focus(nextOpen(valuesOf(), place));
  const isSent = useRef(false);
  // The dialog has given the focus back by then.
  useEffect(() => {
    if (open === undefined && isSent.current && totals.peek().refused > 0) goOn();
    isSent.current = false;
  }, [open]);
  return (
    <>
      <Finder find={find} />
      <ol ref={list} class="card count-list" aria-label={words.list}>
        {rows.map((row, place) => (
          <CountLine
            key={row.value.petId}
            row={row}
            find={find}
            onNext={() => {
              const isDone = totals.peek().refused > 0 ? goOn(place) : focus(place + 1);
              if (!isDone) document.getElementById(REVIEW)?.focus();
            }}
          />
        ))}
      </ol>
      <Footer onOpen={setOpen} onNext={() => goOn()} />
      {open === 'review' && (
        <Review
          rows={rows}
          onClose={() => setOpen(undefined)}
          onSent={(saved) => {
            const { refused } = totals.peek();
            say(words.sent(saved, refused), { tone: saved > 0 ? 'good' : 'bad' });
            isSent.current = true;
            setOpen(undefined);
          }}
        />
      )}
      {open === 'finish' && (
        <FinishDialog
          onFinish={endCount}
          onReview={() => setOpen('review')}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

/** Where a scanner types: a reference and Enter. */
function Finder({ find }: { find: (text: string) => boolean }) {
  const [text, setText] = useState('');
  const [missed, setMissed] = useState<string | undefined>(undefined);
  const submit = () => {
    const isFound = find(text);
    setMissed(isFound || text.trim() === '' ? undefined : text.trim());
    setText('');
  };
  return (
    <Form class="count-finder" onSubmit={submit}>
      <TextField
        label={words.scan}
        isBare
        icon="search"
        placeholder={words.scanPlaceholder}
        value={text}
        onInput={setText}
        error={missed === undefined ? undefined : words.notFound(missed)}
        isFilter
      />
      <label class="check">
        <input
          type="checkbox"
          checked={showsExpected.value}
          onChange={(event) => setShowsExpected(event.currentTarget.checked)}
        />
        <span>{words.showExpected}</span>
      </label>
    </Form>
  );
}

interface FooterProps {
  onOpen: (dialog: 'review' | 'finish') => void;
  onNext: () => void;
}

function Footer({ onOpen, onNext }: FooterProps) {
  const { all, counted, different, ready, refused } = totals.value;
  return (
    <footer class="card count-footer">
      <p>
        <strong>{words.progress(counted, all)}</strong>
        {different > 0 && ` · ${words.differ(different)}`}
        {refused > 0 && ` · ${words.toCheck(refused)}`}
        <span class="second muted small">{isKept.value ? words.kept : words.notKept}</span>
      </p>
      <span class="actions">
        <Button onClick={() => onOpen('finish')}>{words.finish}</Button>
        {refused === 0 && counted > 0 && counted < all && (
          <Button onClick={onNext}>{words.nextUncounted}</Button>
        )}
        {refused > 0 && ready === 0 ? (
          <Button id={REVIEW} look="primary" onClick={onNext}>
            {words.nextToCheck}
          </Button>
        ) : (
          <Button
            id={REVIEW}
            look="primary"
            offReason={ready === 0 ? words.nothingToSend : undefined}
            onClick={() => onOpen('review')}
          >
            {words.review}
          </Button>
        )}
      </span>
    </footer>
  );
}
