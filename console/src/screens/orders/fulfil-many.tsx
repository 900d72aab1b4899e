import type { Order } from '@petstore/client';
import { useState } from 'preact/hooks';
import { noteChange } from '../../api/changes.ts';
import { ConflictError, errorText, NotFoundError } from '../../api/errors.ts';
import { noteSessionEnd, scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { isUnknown } from '../../api/write.ts';
import { patiently } from '../../parts/patiently.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/say.ts';
import { controlWords } from '../../words/controls.ts';
import { orderWords as words } from '../../words/orders.ts';

interface FulfilManyProps extends Pick<ButtonProps, 'look'> {
  /** Those that are open. */
  orders: readonly Order[];
  /** Gets the ids of those that were not fulfilled. */
  onDone?: (failed: number[]) => void;
}

/** Whether the error is about its order alone. After any other, the rest would fail as well. */
const isOfOne = (err: unknown) => err instanceof ConflictError || err instanceof NotFoundError;

/** A button that asks, and then fulfils the orders one after the other. */
export function FulfilMany({ orders, look, onDone }: FulfilManyProps) {
  const [isAsked, setAsked] = useState(false);
  /** How many are done, of how many. The list may be read again meanwhile, without those that are. */
  const [progress, setProgress] = useState<[done: number, all: number] | undefined>(undefined);
  const isNone = orders.length === 0;
  const title = isNone ? words.fulfil : words.fulfilMany(orders.length);
  const close = () => setAsked(false);
  const run = async () => {
    const failed: number[] = [];
    close();
    setProgress([0, orders.length]);
    for (const [index, { id }] of orders.entries()) {
      try {
        await patiently(() => store.orders.update(id, { complete: true }));
      } catch (err) {
        noteSessionEnd(err);
        if (!isOfOne(err)) {
          failed.push(...orders.slice(index).map((each) => each.id));
          const isLost = isUnknown(err);
          const why = [...(isLost ? [words.unknown(id)] : []), errorText(err)].join(' ');
          say(words.stoppedFulfilling(failed.length - Number(isLost), why), { tone: 'bad' });
          break;
        }
        failed.push(id);
        say(words.notFulfilled(id, errorText(err)), { tone: 'bad' });
      }
      setProgress([index + 1, orders.length]);
    }
    setProgress(undefined);
    noteChange('updateOrder');
    if (failed.length < orders.length) say(words.fulfilledMany(orders.length - failed.length));
    onDone?.(failed);
  };
  return (
    <>
      <Button
        look={look}
        icon="check"
        isBusy={progress !== undefined}
        offReason={scopeReason('write') ?? (isNone ? words.noneOpen : undefined)}
        onClick={() => setAsked(true)}
      >
        {progress ? words.fulfilling(...progress) : title}
      </Button>
      {progress && <i data-sending hidden />}
      {isAsked && (
        <Dialog title={title} onClose={close}>
          <p>{words.fulfilManyText}</p>
          <footer class="actions">
            <Button onClick={close}>{controlWords.cancel}</Button>
            <Button look="primary" onClick={() => void run()}>
              {words.fulfil}
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}
