import type { InventoryItem, NewOrder, Order } from '@petstore/client';
import { useRef, useState } from 'preact/hooks';
import { knownPetName, knowStock, useStock } from '../../../api/shared-queries.ts';
import { store } from '../../../api/store.ts';
import { FormView } from '../../../parts/form/form-view.tsx';
import { useRehearsal } from '../../../parts/form/rehearsal.tsx';
import { useForm } from '../../../parts/form/use-form.ts';
import { BASE, navigate } from '../../../router.ts';
import { say } from '../../../ui/say.ts';
import { useNow } from '../../../ui/use-now.ts';
import { newOrderWords as words } from '../../../words/orders.ts';
import { OrderFields } from '../order-fields.tsx';
import {
  holdsError,
  type LineStock,
  lineErrors,
  type NewOrderDraft,
  type NewOrderLine,
  newReference,
  ordersOf,
} from './new-order-draft.ts';
import { OrderLines } from './order-lines.tsx';

const NO_TEXTS = { customer: '', reference: '', note: '', ships: '', holds: '' };

const idsOf = (lines: readonly NewOrderLine[]) =>
  lines.flatMap(({ petId }) => (petId === undefined ? [] : [petId]));

/** Places all lines together, or none. */
async function place(orders: readonly NewOrder[], idempotencyKey: string): Promise<Order[]> {
  if (orders.length === 1) return [await store.orders.place(orders[0]!, { idempotencyKey })];
  const { results } = await store.orders.placeMany({ orders }, { idempotencyKey });
  return results.flatMap(({ order }) => order ?? []);
}

export function NewOrderForm({ petId }: { petId: number | undefined }) {
  const lines: readonly NewOrderLine[] = [{ key: 0, petId, units: '1' }];
  const [ownReference] = useState(newReference);
  const first: NewOrderDraft = { ...NO_TEXTS, lines, isComplete: false, ownReference };
  const [chosen, setChosen] = useState(idsOf(lines));
  const stock = useLineStock(chosen);
  const now = useNow();
  const form = useForm({
    operation: 'placeOrder',
    rowsOf: (orders) => orders.length,
    first,
    // A pet that is not chosen yet is not called wrong before the user tries to send.
    checkedLate: ['lines'],
    errorsOf: (draft) => ({
      lines: draft.lines.some((line) => hasError(lineErrors(line, draft.lines, stock)))
        ? words.needsPet
        : undefined,
      holds: holdsError(draft, now),
    }),
    bodyOf: ordersOf,
    send: place,
    onDone: (orders) => {
      const { id, petId, quantity, reference } = orders[0]!;
      if (orders.length > 1) say(words.placedMany(orders.length, reference!));
      else say(words.placed(id, quantity, knownPetName(petId)));
    },
    goOn: (orders) => {
      const path = orders.length === 1 ? `/orders/${orders[0]!.id}` : '/orders?sort=-id';
      navigate(`${BASE}${path}`, { replace: true });
    },
  });
  const { body, draft } = form;
  const { petId: onlyPet, quantity = 1 } = body[0]!;
  const isOne = body.length === 1;
  const rehearsal = useRehearsal<unknown>({
    send: () =>
      isOne
        ? store.orders.place(body[0]!, { dryRun: true })
        : store.orders.placeMany({ orders: body }, { dryRun: true }),
    fine: isOne
      ? words.rehearsed(quantity, knownPetName(onlyPet))
      : words.rehearsedMany(body.length),
    content: body,
  });
  return (
    <FormView
      form={{ ...form, body: isOne ? body[0] : { orders: body } }}
      path={isOne ? '/store/orders' : '/store/orders/batch'}
      class="card"
      action={words.submit}
      rehearsal={rehearsal}
      onClose={() => navigate(`${BASE}/orders`)}
    >
      <OrderLines
        lines={draft.lines}
        stock={stock}
        isComplete={draft.isComplete}
        isChecked={form.errors.lines !== undefined}
        onChange={(lines, item) => {
          form.set({ lines });
          knowStock(idsOf(lines), [...(item ? [item] : []), ...stock.now.values()]);
          setChosen(idsOf(lines));
        }}
      />
      <OrderFields
        draft={draft}
        errors={form.errors}
        onChange={form.set}
        isComplete={draft.isComplete}
        ownReference={draft.lines.length > 1 ? ownReference : undefined}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={draft.isComplete}
          onChange={(event) => form.set({ isComplete: event.currentTarget.checked })}
        />
        <span>
          {words.complete}
          <span class="second hint">{words.completeHint}</span>
        </span>
      </label>
    </FormView>
  );
}

const hasError = ({ petId, units }: { petId?: unknown; units?: unknown }) =>
  petId !== undefined || units !== undefined;

/** The stock of the chosen pets as it is now, and as it was when each was chosen. */
function useLineStock(ids: readonly number[]): LineStock {
  const now = useStock(ids.length > 0 ? ids : undefined);
  const first = useRef(new Map<number, InventoryItem>());
  for (const id of ids) {
    const item = now.get(id);
    if (item && !first.current.has(id)) first.current.set(id, item);
  }
  return { now, first: first.current };
}
