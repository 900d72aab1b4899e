import type { Pet } from '@petstore/client';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { FormFooter } from '../../parts/form/form-footer.tsx';
import { RehearseButton, useRehearsal } from '../../parts/form/rehearsal.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { Icon } from '../../ui/icons/icon.tsx';
import { say } from '../../ui/say.ts';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { useItem } from '../inventory/use-item.ts';

interface DeletePetDialogProps {
  pet: Pet;
  onClose: () => void;
}

/** Deletes a pet. It says what goes with it, and what is in the way. */
export function DeletePetDialog({ pet, onClose }: DeletePetDialogProps) {
  const write = useWrite<undefined, void>({
    operation: 'deletePet',
    send: (_, idempotencyKey) => store.pets.delete(pet.id, { idempotencyKey }),
    onDone: () => say(words.deleted(pet.name)),
    goOn: onClose,
  });
  // The event of the deletion can arrive before its response. The stock is hidden then, so it is not read again.
  const item = useItem(pet.id, write.state !== 'sending');
  const rehearsal = useRehearsal({
    send: () => store.pets.delete(pet.id, { dryRun: true }),
    content: pet.id,
  });
  return (
    <Dialog title={words.deleteOf(pet.name)} subtitle={words.pet(pet.id)} onClose={onClose}>
      {/* What the deletion says is not said twice. */}
      <Loaded query={write.error === undefined ? item : { ...item, error: null }} rows={4}>
        {({ data: { quantity, reserved } }) => (
          <Form onSubmit={() => write.run(undefined)}>
            <p>{words.deleteText(quantity)}</p>
            {reserved > 0 && <InTheWay petId={pet.id} reserved={reserved} />}
            <FormFooter
              write={write}
              curl={{ method: 'DELETE', path: `/pets/${pet.id}` }}
              action={words.delete}
              look="danger"
              offReason={reserved > 0 ? words.inTheWay(reserved) : undefined}
              rehearsal={rehearsal}
              cancel={words.keep}
              onClose={onClose}
            >
              {reserved === 0 && <RehearseButton rehearsal={rehearsal} />}
            </FormFooter>
          </Form>
        )}
      </Loaded>
    </Dialog>
  );
}

function InTheWay({ petId, reserved }: { petId: number; reserved: number }) {
  return (
    <div class="notice warn">
      <Icon name="triangle-alert" />
      <p>
        {words.inTheWay(reserved)} <a href={`${BASE}/orders?petId=${petId}`}>{words.showOrders}</a>
      </p>
    </div>
  );
}
