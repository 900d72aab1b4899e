import type { Order } from '@petstore/client';
import { useState } from 'preact/hooks';
import { noteChange } from '../../api/changes.ts';
import { ConflictError, errorText, NotFoundError } from '../../api/errors.ts';
import { noteSessionEnd } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { patiently } from '../../parts/patiently.ts';
import { say } from '../../ui/say.ts';
import { orderWords as words } from '../../words/orders.ts';

export interface FulfilMany {
  /** How many were tried so far; undefined while none is. */
  done: number | undefined;
  /** Fulfils the orders one after the other. Resolves to those that are not fulfilled. */
  run: (orders: readonly Order[]) => Promise<number[]>;
}

/** Whether the error is about its order alone. After any other, the rest would fail as well. */
const isOfOne = (err: unknown) => err instanceof ConflictError || err instanceof NotFoundError;

export function useFulfilMany(): FulfilMany {
  const [done, setDone] = useState<number | undefined>(undefined);
  const run = async (orders: readonly Order[]) => {
    const failed: number[] = [];
    setDone(0);
    for (const [index, { id }] of orders.entries()) {
      try {
        await patiently(() => store.orders.update(id, { complete: true }));
      } catch (err) {
        noteSessionEnd(err);
        if (!isOfOne(err)) {
          failed.push(...orders.slice(index).map((each) => each.id));
          say(words.notFulfilledMany(failed.length, errorText(err)), { tone: 'bad' });
          break;
        }
        failed.push(id);
        say(words.notFulfilled(id, errorText(err)), { tone: 'bad' });
      }
      setDone(index + 1);
    }
    setDone(undefined);
    noteChange('updateOrder');
    if (failed.length < orders.length) say(words.fulfilledMany(orders.length - failed.length));
    return failed;
  };
  return { done, run };
}
