// What was asked of the service and what it said, kept by every test that breaks something.
//
// An operation has three outcomes. `ok`: it was acknowledged, so it must be there for good. `failed`: it
// certainly did not happen, because it was refused or never left. `unknown`: the answer was lost, or was a
// 5xx; it may have happened or not, but not by half and not twice. An operation with an
// Idempotency-Key is asked again until it is known.

import type { Reply, Request } from './client.ts';

export type Outcome = 'ok' | 'failed' | 'unknown';

export type Kind = 'createPet' | 'adjustStock' | 'placeOrder' | 'cancelOrder' | 'completeOrder';

export interface Operation {
  kind: Kind;
  request: Request;
  /** By which its record can be found: a name, a reference or a ship date of its own. */
  mark: string;
  petId: number;
  /** Of the order that is cancelled or completed. */
  orderId?: number;
  /** Units ordered, or come and gone in an adjustment. */
  units: number;
  /** An order that is placed complete. */
  isComplete?: boolean;
}

export interface Entry extends Operation {
  outcome: Outcome;
  status: number | undefined;
  /** The answer that settled it, byte by byte, which a repetition must give again. */
  text: string;
  /** The id it was answered with. */
  id: number | undefined;
  endedAt: number;
}

/** What an operation itself answers; had an earlier attempt taken effect, its answer would have come again. */
const DECIDED = new Set([400, 404, 409, 412]);
const IN_PROGRESS = 'idempotency_in_progress';

export class History {
  readonly entries: Entry[] = [];

  begin(operation: Operation): Entry {
    const nothing = { status: undefined, text: '', id: undefined, endedAt: Infinity };
    const entry: Entry = { ...operation, outcome: 'unknown', ...nothing };
    this.entries.push(entry);
    return entry;
  }

  /** Asks once, or once more; what an earlier attempt left unknown stays so until an answer settles it. */
  async attempt(entry: Entry, send: (request: Request) => Promise<Reply>): Promise<void> {
    const isFirst = entry.endedAt === Infinity;
    const reply = await send(entry.request);
    const outcome = outcomeOf(reply, entry.request.key !== undefined, isFirst);
    entry.outcome = outcome;
    entry.endedAt = performance.now();
    if (outcome === 'unknown' || reply.kind !== 'answer') return;
    const { id } = (reply.body ?? {}) as { id?: number };
    entry.status = reply.status;
    entry.text = reply.text;
    if (outcome === 'ok') entry.id = id;
  }

  /** Those that can be asked again without harm. */
  unsettled(): Entry[] {
    return this.entries.filter(({ outcome, request }) => outcome === 'unknown' && request.key);
  }

  count(outcome: Outcome): number {
    return this.entries.filter((entry) => entry.outcome === outcome).length;
  }

  /** What was certain at an instant: whatever was acknowledged later may be there or not. */
  asOf(instant: number): History {
    const past = new History();
    for (const entry of this.entries) {
      const isLater = entry.endedAt > instant;
      const outcome = isLater && entry.outcome === 'ok' ? 'unknown' : entry.outcome;
      past.entries.push({ ...entry, outcome, ...(isLater ? { status: undefined } : {}) });
    }
    return past;
  }
}

function outcomeOf(reply: Reply, isKeyed: boolean, isFirst: boolean): Outcome {
  if (reply.kind === 'cut') return 'unknown';
  // Nothing has been sent; but what was sent before may still have happened.
  if (reply.kind === 'refused') return isFirst ? 'failed' : 'unknown';
  if (reply.status >= 500) return 'unknown';
  if (reply.status < 300) return 'ok';
  if (isFirst) return 'failed';
  const { code } = (reply.body ?? {}) as { code?: string };
  return isKeyed && DECIDED.has(reply.status) && code !== IN_PROGRESS ? 'failed' : 'unknown';
}
