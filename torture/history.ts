// The requests that were sent and their outcomes.
//
// An operation has one of three outcomes. `ok`: it was acknowledged, so its effect is permanent. `failed`: it was refused
// or never sent, so it has no effect. `unknown`: the answer was lost, was a 500, or says so itself, so it took effect once
// or not at all.
// An operation with an Idempotency-Key is repeated until its outcome is known.

import type { Answer, Reply, Request } from './client.ts';

export type Outcome = 'ok' | 'failed' | 'unknown';

export type Kind = 'createPet' | 'adjustStock' | 'placeOrder' | 'cancelOrder' | 'completeOrder';

export interface Operation {
  kind: Kind;
  request: Request;
  /** Identifies its record: a unique name, reference or ship date. */
  label: string;
  petId: number;
  /** The id of the order that is cancelled or completed. */
  orderId?: number;
  /** Units of an order or of an adjustment. */
  units: number;
  /** Whether the order is placed complete. */
  isComplete?: boolean;
}

export interface Entry extends Operation {
  outcome: Outcome;
  status: number | undefined;
  /** The answer that settled it. A repeated request must get the same bytes. */
  text: string;
  /** The id in its answer. */
  id: number | undefined;
  endedAt: number;
}

/** The statuses of stored answers. If an earlier attempt had taken effect, its answer would have been replayed. */
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

  /** Sends a request, for the first time or again. An unknown outcome stays unknown until an answer settles it. */
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

  /** Operations with unknown outcome that can be repeated safely. */
  unsettled(): Entry[] {
    return this.entries.filter(({ outcome, request }) => outcome === 'unknown' && request.key);
  }

  count(outcome: Outcome): number {
    return this.entries.filter((entry) => entry.outcome === outcome).length;
  }

  /** The history as of an instant: what was acknowledged later counts as unknown. */
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

/** A 503 that does not say otherwise promises that nothing changed. */
export function isUnknown({ status, body }: Answer): boolean {
  const { details } = (body ?? {}) as { details?: { outcome?: string } };
  return status >= 500 && (status !== 503 || details?.outcome === 'unknown');
}

function outcomeOf(reply: Reply, isKeyed: boolean, isFirst: boolean): Outcome {
  if (reply.kind === 'cut') return 'unknown';
  // This attempt was not sent, but an earlier one may have taken effect.
  if (reply.kind === 'refused') return isFirst ? 'failed' : 'unknown';
  if (isUnknown(reply)) return 'unknown';
  if (reply.status < 300) return 'ok';
  if (isFirst) return 'failed';
  const { code } = (reply.body ?? {}) as { code?: string };
  return isKeyed && DECIDED.has(reply.status) && code !== IN_PROGRESS ? 'failed' : 'unknown';
}
