import type { InventoryItem, InventoryUpdate, Movement, WithResponse } from '@petstore/client';
import { useState } from 'preact/hooks';
import { PreconditionError } from '../../api/errors.ts';
import { observed } from '../../api/limits.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { Conflict } from '../../parts/edit/conflict.tsx';
import { FormFooter } from '../../parts/form-footer.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { number } from '../../ui/format.ts';
import { say } from '../../ui/toast.tsx';
import { inventoryWords as words } from '../../words/inventory.ts';
import { LedgerRow } from '../ledger-row.tsx';
import { Preview } from './adjust-dialog.tsx';
import { stockChanged } from './query.ts';

export interface SetDialogProps {
  petId: number;
  name: string;
  /** The record as it was when the dialog was opened. */
  opened: WithResponse<InventoryItem>;
  onClose: () => void;
}

interface Change {
  body: InventoryUpdate;
  etag: string | undefined;
}

/** What another client did while the dialog was open. */
interface Between {
  item: WithResponse<InventoryItem>;
  movement: Movement | undefined;
}

/** Sets the count. It must not overwrite what came between, so it sends If-Match. */
export function SetDialog({ petId, name, opened, onClose }: SetDialogProps) {
  const [base, setBase] = useState(opened);
  const [first] = useState(String(opened.data.quantity));
  const [count, setCount] = useState(first);
  const [firstReason] = useState<string>(words.reasons[3]);
  const [reason, setReason] = useState(firstReason);
  const [between, setBetween] = useState<Between | undefined>(undefined);
  const quantity = /^\d{1,9}$/.test(count) ? Number(count) : undefined;
  const item = base.data;
  const error =
    quantity === undefined
      ? words.needsCount
      : quantity < item.reserved
        ? words.tooFew(item.reserved)
        : undefined;
  const write = useWrite<Change, InventoryItem>({
    send: ({ body, etag }, idempotencyKey) =>
      store.inventory.update(petId, body, { idempotencyKey, ifMatch: etag }),
    onDone: (updated) => {
      say(words.adjusted(name, updated.quantity));
      stockChanged();
      onClose();
    },
    onError: (err) => {
      if (!(err instanceof PreconditionError)) return;
      // If it cannot be read either, the refusal stays on the screen.
      readBetween(petId).then(
        (found) => {
          setBase(found.item);
          setBetween(found);
        },
        () => {},
      );
    },
  });
  useUnsaved(count !== first || reason !== firstReason);
  const body: InventoryUpdate = {
    quantity: quantity ?? 0,
    ...(reason.trim() !== '' && { reason: reason.trim() }),
  };
  const submit = () => {
    if (error === undefined) write.run({ body, etag: base.etag });
  };
  return (
    <Dialog
      title={words.setTitle}
      subtitle={words.adjustSubtitle(name, item.quantity, item.reserved)}
      onClose={onClose}
    >
      <Form onSubmit={submit}>
        {between && (
          <Conflict
            fields={[
              {
                name: words.columns.onHand,
                theirs: number(between.item.data.quantity),
                yours: quantity === undefined ? count : number(quantity),
              },
            ]}
            onApply={() => {
              if (error !== undefined) return;
              setBetween(undefined);
              write.run({ body, etag: between.item.etag });
            }}
            onLetGo={onClose}
          >
            {between.movement && <LedgerRow movement={between.movement} />}
          </Conflict>
        )}
        <TextField
          label={words.newCount}
          inputMode="numeric"
          value={count}
          onInput={(value) => setCount(value.trim())}
          error={error}
          isFocused
        />
        <TextField
          label={words.reason}
          value={reason}
          onInput={setReason}
          maxLength={500}
          isOptional
        />
        {quantity !== undefined && <Preview before={item} quantity={quantity} />}
        <FormFooter
          write={write}
          curl={
            error === undefined
              ? { method: 'PATCH', path: `/inventory/${petId}`, body, ifMatch: base.etag }
              : undefined
          }
          action={words.setTo(count)}
          isConflict={between !== undefined}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

async function readBetween(petId: number): Promise<Between> {
  const item = await observed(() => store.inventory.get(petId).withResponse());
  const page = await observed(() => store.inventory.movements(petId, { limit: 1, sort: '-id' }));
  return { item, movement: page.items[0] };
}
