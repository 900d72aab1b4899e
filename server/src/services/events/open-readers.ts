import { Refusal } from '../../domain/errors.ts';

interface ReaderSlot {
  workspaceId: number;
  /** How many the workspace may have on this node. */
  workspaceMax: number;
  /** Called when the node stops: the reader is to end at once. */
  onStop: () => void;
}

/** Counts the streams and waiting polls that are open on this node, and ends them when it stops. */
export class OpenReaders {
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
  });
}
