import type { Movement, Order, WithResponse, WriteOptions } from '@petstore/client';
import { useState } from 'preact/hooks';
import { PreconditionError } from '../../api/errors.ts';
import { observed } from '../../api/limits.ts';
import { store } from '../../api/store.ts';
import { useWrite, type Write } from '../../api/write.ts';
import { stockChanged } from '../inventory/query.ts';

/** What another client did to the order while it was open. */
export interface Between {
  order: WithResponse<Order>;
  /** The row of the ledger, if the change moved stock. */
  movement: Movement | undefined;
}

interface Change<Body> {
  body: Body;
  etag: string | undefined;
}

export interface OrderWrite<Body> {
  /** The order that the change builds on. */
  base: Order;
  etag: string | undefined;
  write: Write<Change<Body>>;
  between: Between | undefined;
  run: (body: Body) => void;
  /** Applies the change to the order as it is now. */
  applyAgain: (body: Body) => void;
}

export interface OrderWriteOptions<Body> {
  opened: WithResponse<Order>;
  send: (body: Body, options: WriteOptions) => PromiseLike<unknown>;
  onDone: () => void;
}

/** Changes the order that was opened, and no other version of it: it sends If-Match. */
export function useOrderWrite<Body>({
  opened,
  send,
  onDone,
}: OrderWriteOptions<Body>): OrderWrite<Body> {
  const [base, setBase] = useState(opened);
  const [between, setBetween] = useState<Between | undefined>(undefined);
  const write = useWrite<Change<Body>, unknown>({
    send: ({ body, etag }, idempotencyKey) => send(body, { idempotencyKey, ifMatch: etag }),
    onDone,
    onError: (err) => {
      // If it cannot be read either, the refusal stays on the screen.
      if (err instanceof PreconditionError) void readBetween(base.data).then(setBetween, () => {});
      else stockChanged();
    },
  });
  return {
    base: base.data,
    etag: base.etag,
    write,
    between,
    run: (body) => write.run({ body, etag: base.etag }),
    applyAgain: (body) => {
      if (!between) return;
      setBase(between.order);
      setBetween(undefined);
      write.run({ body, etag: between.order.etag });
    },
  };
}

const LOOKED_AT = 20;

async function readBetween({ id = 0, petId = 0, ...before }: Order): Promise<Between> {
  const order = await observed(() => store.orders.get(id).withResponse());
  const { quantity, complete } = order.data;
  if (quantity === before.quantity && complete === before.complete) {
    return { order, movement: undefined };
  }
  const query = { limit: LOOKED_AT, sort: '-id' } as const;
  const { items } = await observed(() => store.inventory.movements(petId, query));
  return { order, movement: items.find(({ orderId }) => orderId === id) };
}
