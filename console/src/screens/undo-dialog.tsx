import type { Movement, Reversal } from '@petstore/client';
import { store } from '../api/store.ts';
import { FormView } from '../parts/form/form-view.tsx';
import { useRehearsal } from '../parts/form/rehearsal.tsx';
import { useForm } from '../parts/form/use-form.ts';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { past } from '../ui/format.ts';
import { say } from '../ui/say.ts';
import { controlWords } from '../words/controls.ts';
import { movementWords } from '../words/movements.ts';
import { undoWords as words } from '../words/undo.ts';
import { whyOf } from './movement.tsx';

interface UndoDialogProps {
  movement: Movement;
  /** The name of the pet. */
  name: string;
  onClose: () => void;
}

/** Takes back what one row of the ledger did. It can be rehearsed first. */
export function UndoDialog({ movement, name, onClose }: UndoDialogProps) {
  const { petId, id, quantityBefore, quantityAfter } = movement;
  const form = useForm({
    operation: 'reverseMovement',
    first: { reason: '' },
    bodyOf: ({ reason }): Reversal => (reason.trim() === '' ? {} : { reason: reason.trim() }),
    send: (reversal, idempotencyKey) =>
      store.inventory.reverse(petId, id, reversal, { idempotencyKey }),
    onDone: (row) => say(words.done(row.quantityAfter)),
    goOn: onClose,
  });
  const rehearsal = useRehearsal({
    send: () => store.inventory.reverse(petId, id, form.body, { dryRun: true }),
    fine: (row) => words.wouldBe(row.quantityBefore, row.quantityAfter),
    content: form.body,
  });
  const what = controlWords.dotted(movementWords.causes[movement.cause], whyOf(movement));
  return (
    <Dialog
      title={words.title(name)}
      subtitle={words.subtitle(what, past(movement.at, Date.now()))}
      onClose={onClose}
    >
      <FormView
        form={form}
        path={`/inventory/${petId}/movements/${id}/reversal`}
        action={words.undo}
        rehearsal={rehearsal}
        onClose={onClose}
      >
        <p>{words.effect(quantityBefore - quantityAfter)}</p>
        <TextField
          label={words.reason}
          isOptional
          value={form.draft.reason}
          onInput={(reason) => form.set({ reason })}
          maxLength={500}
          error={form.errors.reason}
          isFocused
        />
      </FormView>
    </Dialog>
  );
}
