import type { InventoryItem, Movement, Order, WithResponse, WriteOptions } from '@petstore/client';
import { useState } from 'preact/hooks';
import { store } from '../../api/store.ts';
import { type EditOptions, useEdit } from '../../parts/form/use-edit.ts';
import { orderWords } from '../../words/orders.ts';
import { bodyOf, draftOf, type OrderDraft, textsOf } from './order-draft.ts';

export interface StepFormProps {
  kind: 'fulfil' | 'change' | 'cancel';
  /** The order as it was when the dialog was opened. */
  opened: WithResponse<Order>;
  /** The stock as it is now; undefined until it is known. */
  item: InventoryItem | undefined;
  name: string;
  onClose: () => void;
  onDone: () => void;
}

type OrderBody = Partial<ReturnType<typeof bodyOf>>;

type OrderEditOptions = Pick<
  EditOptions<Order, OrderDraft, OrderBody, unknown>,
  'operation' | 'opened' | 'asked' | 'errorsOf' | 'onDone' | 'goOn'
> & { send: (patch: OrderBody, options: WriteOptions) => PromiseLike<unknown> };

/**
 * Changes the order that was opened. If someone else moved its stock meanwhile, it has the row of the ledger; if the order
 * is over, it says so.
 */
export function useOrderEdit(options: OrderEditOptions) {
  const [movement, setMovement] = useState<Movement | undefined>(undefined);
  const { id = 0, petId = 0 } = options.opened.data;
  const edit = useEdit<Order, OrderDraft, OrderBody, unknown>({
    ...options,
    draftOf,
    bodyOf,
    textsOf,
    read: async () => {
      const now = await store.orders.get(id).withResponse();
      const { quantity, state } = now.data;
      const hasMoved = quantity !== edit.base.quantity || state !== edit.base.state;
      setMovement(hasMoved ? await findMovement(petId, id) : undefined);
      return now;
    },
  });
  const { state } = edit.base;
  return { ...edit, movement, ended: state === 'open' ? undefined : orderWords.hasEnded(state) };
}

const LOOKED_AT = 20;

async function findMovement(petId: number, id: number): Promise<Movement | undefined> {
  const query = { limit: LOOKED_AT, sort: '-id' } as const;
  const { items } = await store.inventory.movements(petId, query);
  return items.find(({ orderId }) => orderId === id);
}
