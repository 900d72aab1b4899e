import type { Movement, Reversal } from '@petstore/client';
import { useState } from 'preact/hooks';
import { invalidate } from '../api/query.ts';
import { store } from '../api/store.ts';
import { useWrite } from '../api/write.ts';
import { FormFooter } from '../parts/form-footer.tsx';
import { RehearseButton, useRehearsal } from '../parts/rehearsal.tsx';
import { useUnsaved } from '../parts/use-unsaved.ts';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Form } from '../ui/fields/form.tsx';
import { past } from '../ui/format.ts';
import { say } from '../ui/toast.tsx';
import { movementWords } from '../words/movements.ts';
import { undoWords as words } from '../words/undo.ts';
import { whyOf } from './movement.tsx';

/** Whether a row can be taken back: orders are cancelled instead. */
export function canUndo({ cause, reversedBy }: Movement): boolean {
  return ['set', 'adjusted', 'sold'].includes(cause) && reversedBy === undefined;
}

export interface UndoDialogProps {
  movement: Movement;
  /** The name of the pet. */
  name: string;
  onClose: () => void;
}

/** Takes back what one row of the ledger did. It can be rehearsed first. */
export function UndoDialog({ movement, name, onClose }: UndoDialogProps) {
  const [reason, setReason] = useState('');
  const { petId, id, quantityBefore, quantityAfter } = movement;
  const body: Reversal = reason.trim() === '' ? {} : { reason: reason.trim() };
  const undo = useWrite<Reversal, Movement>({
    send: (reversal, idempotencyKey) =>
      store.inventory.reverse(petId, id, reversal, { idempotencyKey }),
    onDone: (row) => {
      say(words.done(row.quantityAfter));
      invalidate('listInventory', 'getInventoryItem', 'listMovements', 'listLedger', 'listPets');
      onClose();
    },
  });
  const rehearsal = useRehearsal({
    send: () => store.inventory.reverse(petId, id, body, { dryRun: true }),
    fine: (row) => words.wouldBe(row.quantityBefore, row.quantityAfter),
    content: body,
  });
  useUnsaved(reason !== '');
  const what = [movementWords.causes[movement.cause], whyOf(movement)].filter(Boolean).join(' · ');
  return (
    <Dialog
      title={words.title(name)}
      subtitle={words.subtitle(what, past(movement.at, Date.now()))}
      onClose={onClose}
    >
      <Form onSubmit={() => undo.run(body)}>
        <p>{words.effect(quantityBefore - quantityAfter)}</p>
        <TextField
          label={words.reason}
          isOptional
          value={reason}
          onInput={setReason}
          maxLength={500}
          isFocused
        />
        <FormFooter
          write={undo}
          curl={{ method: 'POST', path: `/inventory/${petId}/movements/${id}/reversal`, body }}
          action={words.undo}
          rehearsal={rehearsal}
          onClose={onClose}
        >
          <RehearseButton rehearsal={rehearsal} />
        </FormFooter>
      </Form>
    </Dialog>
  );
}
