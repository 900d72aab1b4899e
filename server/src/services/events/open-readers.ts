import type { LoggedChange } from '../../datastore/cluster/changes.ts';
import { Refusal } from '../../domain/errors.ts';
import type { ChangeListener } from '../cluster/change-log.ts';

const RETRY_SECONDS = 5;

interface ReaderSlot {
  workspaceId: number;
  /** How many the workspace may have on this node. */
  workspaceMax: number;
  /** Called when the node stops or the reader may read no more: it is to end at once. */
  onStop: () => void;
  /** Whether the reader may still read. */
  isAllowed: () => Promise<boolean>;
}

/**
 * Counts the streams and waiting polls that are open on this node. It ends them when the node stops, and those that may read no
 * more: their key was revoked, or their workspace suspended. Listen to changes with it after `ReaderAccess`, which it asks.
 */
export class OpenReaders implements ChangeListener {
  readonly #nodeMax: number;
  readonly #open = new Set<ReaderSlot>();
  readonly #byWorkspace = new Map<number, number>();
  #isStopping = false;

  constructor(nodeMax: number) {
    this.#nodeMax = nodeMax;
  }

  /** Takes a slot, or refuses. The returned function frees it; calling it again does nothing. */
  take(slot: ReaderSlot): () => void {
    const { workspaceId, workspaceMax } = slot;
    const open = this.#byWorkspace.get(workspaceId) ?? 0;
    if (open >= workspaceMax) throw tooMany('This workspace', workspaceMax);
    if (this.#open.size >= this.#nodeMax) throw tooMany('This node', this.#nodeMax);
    this.#byWorkspace.set(workspaceId, open + 1);
    this.#open.add(slot);
    if (this.#isStopping) queueMicrotask(slot.onStop);
    return () => this.#free(slot);
  }

  get count(): number {
    return this.#open.size;
  }

  stop(): void {
    this.#isStopping = true;
    for (const { onStop } of [...this.#open]) onStop();
  }

  drop({ kind, workspaceId }: LoggedChange): void {
    if (kind !== 'key' && kind !== 'workspace') return;
    if (!this.#byWorkspace.has(workspaceId)) return;
    this.#endRefused([...this.#open].filter((slot) => slot.workspaceId === workspaceId));
  }

  clear(): void {
    this.#endRefused([...this.#open]);
  }

  /** One that cannot be asked for now is asked again before it gets its next event. */
  #endRefused(slots: readonly ReaderSlot[]): void {
    for (const { isAllowed, onStop } of slots) {
      isAllowed().then(
        (may) => may || onStop(),
        () => undefined,
      );
    }
  }

  #free(slot: ReaderSlot): void {
    if (!this.#open.delete(slot)) return;
    const left = this.#byWorkspace.get(slot.workspaceId)! - 1;
    if (left > 0) this.#byWorkspace.set(slot.workspaceId, left);
    else this.#byWorkspace.delete(slot.workspaceId);
  }
}

function tooMany(whose: string, max: number): Refusal {
  return new Refusal('too_many_streams', {
    message: `${whose} has ${max} streams and waiting polls open, which is the most at once.`,
    details: { max },
    retryAfterSeconds: RETRY_SECONDS,
  });
}
