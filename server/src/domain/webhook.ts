import type { WebhookHealth } from './delivery.ts';
import { type EventRecord, eventField, isAboutWebhooks, matchesAny } from './event.ts';
import type { PlanId } from './plan.ts';

/** What its owner decides about a webhook. */
export interface WebhookSettings {
  url: string;
  /** Types of events, kinds of them like `order.*`, or `*`. */
  types: readonly string[];
  description?: string;
  /** How many events one request may carry; 1 sends each by itself. */
  batchMax: number;
  perSecondMax: number;
}

/** A webhook as it is kept; its secrets are kept apart. Instants are epoch milliseconds. */
export interface WebhookRecord extends WebhookSettings, WebhookHealth {
  id: number;
  workspaceId: number;
  /** Whether a ping to this URL was answered. */
  isVerified: boolean;
  /** The number of the last event that was delivered, parked or skipped. */
  cursor: number;
  /** The last event of a batch that was sent and not yet delivered, so that a retry is the same batch. */
  batchLast?: number;
  /** When a failed attempt is repeated; absent when none waits. */
  retryAt?: number;
  /**
   * Rises when the owner changes the URL, the types, the secret, the state or the cursor. A delivery under way then ends.
   * After a change of the secret or the state it still moves the cursor, after the others it counts for nothing.
   */
  revision: number;
  secretHint: string;
  previousSecretUntil?: number;
  createdAt: number;
}

/** A webhook with what follows from the feed and from its deliveries. */
export interface WebhookStatus extends WebhookRecord {
  /** How many events of the feed come after its cursor. */
  behind: number;
  /** How many events are parked. */
  parked: number;
}

/** The end of an overlap of secrets is absent once it has passed. */
export function withStatus(
  { previousSecretUntil: until, ...webhook }: WebhookRecord,
  { behind, parked, now }: { behind: number; parked: number; now: number },
): WebhookStatus {
  return {
    ...webhook,
    ...(until !== undefined && now < until ? { previousSecretUntil: until } : {}),
    behind,
    parked,
  };
}

/** Signing secrets as they are kept: sealed. */
export interface SealedSecrets {
  current: string;
  previous?: string;
  previousUntil?: number;
}

/** A webhook that one worker holds for a while: all it writes is refused once another holds it. */
export interface WebhookLease {
  webhook: WebhookRecord;
  secrets: SealedSecrets;
  leaseNumber: number;
  /** The clock of the database when the lease began. */
  now: number;
}

export const LEASE_MS = 30_000;
export const PARKED_MAX = 1_000;
export const ATTEMPTS_MAX = 1_000;

/** How many webhooks a workspace may have. */
export const webhooksMax: Readonly<Record<PlanId, number>> = {
  free: 2,
  pro: 5,
  business: 20,
  enterprise: 100,
};

/** Whether an event is for this webhook. An event about a webhook is never sent to that webhook. */
export function isWanted(
  { id, types }: Pick<WebhookRecord, 'id' | 'types'>,
  event: Pick<EventRecord, 'text'>,
): boolean {
  if (!matchesAny(eventField(event.text, 'type'), types)) return false;
  // Events about webhooks are few, so only their texts are parsed.
  return !isAboutWebhooks(event) || webhookIdIn(event.text) !== id;
}

function webhookIdIn(text: string): unknown {
  return (JSON.parse(text) as { data?: { webhook?: { id?: unknown } } }).data?.webhook?.id;
}

/** The secrets that sign at this instant, newest first. */
export function secretsInForce(
  { current, previous, previousUntil }: SealedSecrets,
  now: number,
): string[] {
  const isOverlap = previous !== undefined && previousUntil !== undefined && now < previousUntil;
  return isOverlap ? [current, previous] : [current];
}
