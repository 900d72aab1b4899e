// What `details` holds, by code. The client copies this file, so it is in plain types and imports nothing.

/** A field at fault. */
export interface FieldFault {
  field: string;
  message: string;
}

/** Where a batch of mode `all` was refused. A request for one record has none of it. */
interface BatchPlace {
  /** The row, from 0. */
  index?: number;
  petId?: number;
}

interface LimitFacts<Limit extends string> {
  limit: Limit;
  /** When it is over. */
  until: string;
  /** How many more refusals of this key within 60 seconds lead to a ban; absent where none does. */
  refusalsBeforeBan?: number;
}

interface FeedCursors {
  /** The cursor before the oldest event that is kept. */
  oldest: string;
  /** The cursor of the newest event. */
  latest: string;
}

/** A row of the ledger, as far as it says what came between. */
export interface MovementFact {
  id: number;
  cause: string;
  quantityBefore: number;
  quantityAfter: number;
  orderId?: number;
  at: string;
}

export interface ErrorDetails {
  /** Absent where no single field is at fault. */
  invalid_request: readonly FieldFault[] | undefined;
  insufficient_scope: { scope: string; lacking?: readonly string[] };
  operator_only: { operationId: string };
  plan_by_operator: { plans: readonly string[] };
  workspace_suspended: { since: string; reason: string };
  workspace_closing: { eraseAt: string };
  workspace_state: { state: string };
  insufficient_stock: BatchPlace & { available: number };
  /** `petId` is the pet that has the reference; `index` is the row of a batch. */
  reference_taken: { petId: number; reference: string; index?: number };
  pet_on_hold: (BatchPlace & { available?: number }) | undefined;
  below_reserved: BatchPlace & { reserved: number; quantity: number; available?: number };
  stock_changed: BatchPlace & {
    expected: number;
    /** What is on hand now. */
    quantity: number;
    available?: number;
    /** What changed it since, the latest first; at most 5, and none for a conflict after the first 100 of a batch. */
    movements: readonly MovementFact[];
  };
  pet_has_open_orders: { reserved: number };
  invalid_status_change: { from: string; to: string; quantity: number; available: number };
  order_ended: { state: 'cancelled' | 'expired' };
  not_reversible: { cause: string };
  already_reversed: { reversedBy: number };
  cursor_unknown: FeedCursors;
  events_expired: FeedCursors;
  webhook_limit_reached: { max: number };
  operation_sunset: { sunset: string; successor: string };
  rate_limit_exceeded: LimitFacts<'minute'>;
  quota_exceeded: LimitFacts<'day'>;
  key_banned: LimitFacts<'ban'>;
  too_many_streams: { max: number };
  too_many_exports: { max: number };
  /** Present if the change may have been made. */
  unavailable: { outcome: 'unknown' } | undefined;
}
