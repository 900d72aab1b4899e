import type { Movement } from '@petstore/client';
import { expectEcho, noteChange } from '../../api/changes.ts';
import { request } from '../../api/limits.ts';
import { noteSessionEnd, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { sayError } from '../../parts/say-error.ts';
import { say } from '../../ui/say.ts';
import { inventoryWords as words } from '../../words/inventory.ts';
import { undoWords } from '../../words/undo.ts';
import { canUndo } from '../movement.tsx';

/** Says what is on hand now, and offers to take the change back. */
export function sayCounted(name: string, petId: number, quantity: number): void {
  const action = { text: undoWords.undo, run: () => void undoLast(petId, quantity) };
  say(words.adjusted(name, quantity), { action });
}

/** Takes back the last change, if it is still the one that was offered. The service refuses what does not fit. */
async function undoLast(petId: number, quantity: number): Promise<void> {
  try {
    const { items } = await request(() =>
      store.inventory.movements(petId, { limit: 1, sort: '-id' }),
    );
    const last: Movement | undefined = items[0];
    const isOwn = last?.keyId === session.value?.keyId && last?.quantityAfter === quantity;
    if (!last || !isOwn || !canUndo(last)) {
      return say(undoWords.tooLate, { tone: 'bad' });
    }
    const row = await request(() => store.inventory.reverse(petId, last.id, {})).finally(
      expectEcho('reverseMovement'),
    );
    say(undoWords.done(row.quantityAfter));
  } catch (err) {
    noteSessionEnd(err);
    sayError(err);
  } finally {
    noteChange('reverseMovement');
  }
}
