import type { Adjustment, InventoryItem, WithResponse } from '@petstore/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { queries } from '../../api/query.ts';
import { usePetName } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useForm } from '../../parts/form/use-form.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { PetPicker } from '../../parts/pet-picker.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Stepper } from '../../ui/fields/stepper.tsx';
import { signedNumber } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { inventoryWords as words } from '../../words/inventory.ts';
import { newOrderWords } from '../../words/orders.ts';
import { StockEffect } from '../stock-effect.tsx';
import { useLargeChange } from './large-change.tsx';
import { sayCounted } from './undo-last.ts';
import { useItem } from './use-item.ts';

interface AdjustDialogProps {
  /** Undefined until the user has chosen one. */
  petId: number | undefined;
  /** Whether the user may choose another pet. */
  hasPicker: boolean;
  onClose: () => void;
}

/** Adds or removes units. Changes commute, so it needs no If-Match: the service refuses what does not fit. */
export function AdjustDialog({ petId: first, hasPicker, onClose }: AdjustDialogProps) {
  const [petId, setPetId] = useState(first);
  const item = useItem(petId);
  const name = usePetName(petId);
  const guess = useRef<Guess | undefined>(undefined);
  const typed = useRef<AdjustDraft>({ change: '1', reason: words.reasons[0], reference: '' });
  const shown = item.data?.data;
  // While the rest of the screen shows a guess, the form still says what the counts are.
  const current = shown === guess.current?.shown ? guess.current?.before : shown;
  return (
    <Dialog
      title={words.adjustTitle}
      subtitle={
        petId === undefined
          ? words.choosePet
          : current && words.adjustSubtitle(name, current.quantity, current.reserved)
      }
      onClose={onClose}
    >
      {hasPicker && (
        <PetPicker
          label={words.columns.pet}
          petId={petId}
          onChange={setPetId}
          placeholder={newOrderWords.petPlaceholder}
          isFocused={first === undefined}
        />
      )}
      {petId !== undefined && (
        <Loaded query={item} rows={6}>
          {() => <AdjustForm key={petId} {...{ item: current!, guess, typed, name, onClose }} />}
        </Loaded>
      )}
    </Dialog>
  );
}

interface AdjustFormProps {
  /** As the service has it. */
  item: InventoryItem;
  guess: { current: Guess | undefined };
  /** What was typed stays when another pet is chosen. */
  typed: { current: AdjustDraft };
  name: string;
  onClose: () => void;
}

interface AdjustDraft {
  change: string;
  reason: string;
  reference: string;
}

/** The change that a text means; undefined if it means none. */
function deltaOf(change: string): number | undefined {
  return /^[+-]?\d{1,9}$/.test(change) && Number(change) !== 0 ? Number(change) : undefined;
}

function AdjustForm({ item, guess, typed, name, onClose }: AdjustFormProps) {
  const opened = useRef(item);
  const fields = useRef<HTMLDivElement>(null);
  // The fields come after the dialog, or after the choice of a pet.
  useEffect(() => fields.current!.querySelector('input')!.focus(), []);
  const putBack = () => {
    // Counts that were read meanwhile are better than those from before.
    if (guess.current && countsOf(item.petId).data?.data === guess.current.shown) {
      show(guess.current.before);
    }
  };
  const form = useForm({
    operation: 'adjustInventory',
    first: typed.current,
    errorsOf: ({ change, reason }) => ({
      change: changeError(change, item),
      reason: reason.trim() === '' ? words.needsReason : undefined,
    }),
    bodyOf: ({ change, reason, reference }): Adjustment => ({
      delta: deltaOf(change) ?? 0,
      reason: reason.trim(),
      ...(reference.trim() !== '' && { reference: reference.trim() }),
    }),
    send: (adjustment, idempotencyKey) => {
      guess.current = { before: item, shown: adjusted(item, adjustment.delta) };
      show(guess.current.shown);
      return store.inventory.adjust(item.petId, adjustment, { idempotencyKey });
    },
    onDone: ({ quantityAfter }) => sayCounted(name, item.petId, quantityAfter),
    goOn: onClose,
    onError: putBack,
    onDropped: putBack,
  });
  const { draft, errors, set } = form;
  typed.current = draft;
  const delta = deltaOf(draft.change);
  const quantity = item.quantity + (delta ?? 0);
  const large = useLargeChange(form, item.quantity, quantity);
  const hasChanged =
    opened.current.quantity !== item.quantity || opened.current.reserved !== item.reserved;
  return (
    <FormView
      form={large.form}
      path={`/inventory/${item.petId}/adjustments`}
      action={
        large.isAsked
          ? words.confirmCount(quantity)
          : words.adjustBy(delta === undefined ? '…' : signedNumber(delta))
      }
      onClose={onClose}
    >
      {hasChanged && form.write.state === 'idle' && (
        <p class="notice warn" role="status">
          <Icon name="triangle-alert" />
          <span>
            <strong>{words.changedTitle}</strong>{' '}
            {words.adjustSubtitle(name, item.quantity, item.reserved)}.{' '}
            {quantity >= item.reserved && words.stillFits}
          </span>
        </p>
      )}
      <div ref={fields}>
        <Stepper
          label={words.change}
          error={errors.change}
          value={draft.change}
          onInput={(change) => set({ change })}
          fewer={words.fewer}
          more={words.oneMore}
          // A change by none is no change.
          stepped={(by) => (delta ?? 0) + by || by}
          isSigned
          isFocused
        />
      </div>
      <Reason value={draft.reason} error={errors.reason} onChange={(reason) => set({ reason })} />
      <TextField
        label={words.reference}
        isOptional
        placeholder={words.referencePlaceholder}
        value={draft.reference}
        onInput={(reference) => set({ reference })}
        maxLength={200}
        error={errors.reference}
      />
      <StockEffect before={item} change={{ onHand: quantity - item.quantity, reserved: 0 }} />
      {large.question}
    </FormView>
  );
}

function changeError(change: string, item: InventoryItem): string | undefined {
  const delta = deltaOf(change);
  if (delta === undefined) return words.needsNumber;
  return item.quantity + delta < item.reserved ? words.tooFew(item.reserved) : undefined;
}

function adjusted(item: InventoryItem, delta: number): InventoryItem {
  const quantity = item.quantity + delta;
  return { ...item, quantity, available: quantity - item.reserved };
}

interface ReasonProps {
  value: string;
  error: string | undefined;
  onChange: (reason: string) => void;
}

/** Why, by typing or by one of the usual reasons. */
function Reason({ value, error, onChange }: ReasonProps) {
  return (
    <div class="stack tight">
      <TextField
        label={words.reason}
        value={value}
        onInput={onChange}
        maxLength={500}
        error={error}
      />
      <div class="chips">
        {words.reasons.map((each) => (
          <button
            key={each}
            type="button"
            class="chip"
            aria-pressed={each === value}
            onClick={() => onChange(each)}
          >
            {each}
          </button>
        ))}
      </div>
    </div>
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
