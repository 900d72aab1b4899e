import type { Adjustment, InventoryItem, Movement, WithResponse } from '@petstore/client';
import { useRef, useState } from 'preact/hooks';
import { queries } from '../../api/query.ts';
import { usePetName } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { FormFooter } from '../../parts/form-footer.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { Stepper } from '../../ui/fields/stepper.tsx';
import { number, signedNumber } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { say } from '../../ui/toast.tsx';
import { inventoryWords as words } from '../../words/inventory.ts';
import { stockChanged } from './query.ts';
import { useItem } from './use-item.ts';

export interface AdjustDialogProps {
  petId: number;
  onClose: () => void;
}

/** Adds or removes units. Changes commute, so it needs no If-Match: the service refuses what does not fit. */
export function AdjustDialog({ petId, onClose }: AdjustDialogProps) {
  const item = useItem(petId);
  const name = usePetName(petId);
  const guess = useRef<Guess | undefined>(undefined);
  const shown = item.data?.data;
  // While the rest of the screen shows a guess, the form still says what the counts are.
  const current = shown === guess.current?.shown ? guess.current?.before : shown;
  return (
    <Dialog
      title={words.adjustTitle}
      subtitle={current && words.adjustSubtitle(name, current.quantity, current.reserved)}
      onClose={onClose}
    >
      <Loaded query={item} rows={6}>
        {() => <AdjustForm item={current!} guess={guess} name={name} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

interface AdjustFormProps {
  /** As the service has it. */
  item: InventoryItem;
  guess: { current: Guess | undefined };
  name: string;
  onClose: () => void;
}

function AdjustForm({ item, guess, name, onClose }: AdjustFormProps) {
  const [change, setChange] = useState('1');
  const [reason, setReason] = useState<string>(words.reasons[0]);
  const [reference, setReference] = useState('');
  const [isChecked, setChecked] = useState(false);
  const opened = useRef(item);
  const reasons: readonly string[] = words.reasons;
  const delta = Number(change);
  const isNumber = /^[+-]?\d{1,9}$/.test(change) && delta !== 0;
  const quantity = isNumber ? item.quantity + delta : item.quantity;
  const isTooLow = quantity < item.reserved;
  const body: Adjustment = {
    delta,
    reason: reason.trim(),
    ...(reference.trim() !== '' && { reference: reference.trim() }),
  };
  const putBack = () => {
    // Counts that were read meanwhile are better than those from before.
    if (guess.current && countsOf(item.petId).data?.data === guess.current.shown) {
      show(guess.current.before);
    }
    stockChanged();
  };
  const write = useWrite<Adjustment, Movement>({
    send: (adjustment, idempotencyKey) =>
      store.inventory.adjust(item.petId, adjustment, { idempotencyKey }),
    onDone: ({ quantityAfter }) => {
      say(words.adjusted(name, quantityAfter));
      stockChanged();
      onClose();
    },
    onError: putBack,
    onDropped: putBack,
  });
  useUnsaved(change !== '1' || reference !== '' || !reasons.includes(reason));
  const changeError = !isNumber
    ? words.needsNumber
    : isTooLow
      ? words.tooFew(item.reserved)
      : undefined;
  const submit = () => {
    setChecked(true);
    if (changeError !== undefined || body.reason === '') return;
    guess.current = {
      before: item,
      shown: { ...item, quantity, available: quantity - item.reserved },
    };
    show(guess.current.shown);
    write.run(body);
  };
  const hasChanged =
    opened.current.quantity !== item.quantity || opened.current.reserved !== item.reserved;
  const isOwn = write.state !== 'idle';
  return (
    <Form onSubmit={submit}>
      {hasChanged && !isOwn && (
        <p class="notice warn" role="status">
          <Icon name="triangle-alert" />
          <span>
            <strong>{words.changedTitle}</strong>{' '}
            {words.adjustSubtitle(name, item.quantity, item.reserved)}.{' '}
            {!isTooLow && words.stillFits}
          </span>
        </p>
      )}
      <Stepper
        label={words.change}
        error={isChecked || isTooLow ? changeError : undefined}
        value={change}
        onInput={setChange}
        fewer={words.fewer}
        more={words.oneMore}
        // A change by none is no change.
        stepped={(by) => (isNumber ? delta : 0) + by || by}
      />
      <div class="stack tight">
        <TextField
          label={words.reason}
          value={reason}
          onInput={setReason}
          maxLength={500}
          error={isChecked && body.reason === '' ? words.needsReason : undefined}
        />
        <div class="chips">
          {reasons.map((each) => (
            <button
              key={each}
              type="button"
              class="chip"
              aria-pressed={each === reason}
              onClick={() => setReason(each)}
            >
              {each}
            </button>
          ))}
        </div>
      </div>
      <TextField
        label={words.reference}
        isOptional
        placeholder={words.referencePlaceholder}
        value={reference}
        onInput={setReference}
        maxLength={200}
      />
      <Preview before={item} quantity={quantity} />
      <FormFooter
        write={write}
        curl={
          changeError === undefined
            ? { method: 'POST', path: `/inventory/${item.petId}/adjustments`, body }
            : undefined
        }
        action={words.adjustBy(isNumber ? signedNumber(delta) : '…')}
        onClose={onClose}
      />
    </Form>
  );
}

/** The counts as they will be, shown until the service has said what they are. */
interface Guess {
  before: InventoryItem;
  shown: InventoryItem;
}

const countsOf = (petId: number) =>
  queries.query<WithResponse<InventoryItem>>(['getInventoryItem', petId]);

function show(item: InventoryItem): void {
  const query = countsOf(item.petId);
  if (query.data) query.set({ ...query.data, data: item });
}

/** What the counts are, and what they will be. */
export function Preview({ before, quantity }: { before: InventoryItem; quantity: number }) {
  const rows = [
    [words.columns.onHand, before.quantity, quantity],
    [words.columns.available, before.available, quantity - before.reserved],
  ] as const;
  return (
    <dl class="preview">
      {rows.map(([title, from, to]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            {number(from)} → <strong class={to < 0 ? 'text-bad' : undefined}>{number(to)}</strong>
          </dd>
        </div>
      ))}
    </dl>
  );
}
