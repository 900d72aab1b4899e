import type { Static } from 'typebox';
import type { AttemptRecord, ParkedRecord } from '../../domain/delivery.ts';
import { type EventRecord, type EventType, eventField } from '../../domain/event.ts';
import { eventId } from '../../domain/event-cursor.ts';
import type { WebhookStatus } from '../../domain/webhook.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { Webhook } from '../schemas/webhook.ts';
import type { Shown } from '../success.ts';

export function webhookView(webhook: WebhookStatus) {
  const { id, url, types, description, state, stateReason, cursor, behind, parked } = webhook;
  const { batchMax, perSecondMax, failures, failingSince, retryAt, secretHint } = webhook;
  const { previousSecretUntil, createdAt } = webhook;
  const isWaiting = state !== 'disabled' && failures > 0;
  return {
    id,
    url,
    types: [...types],
    description,
    state,
    stateReason,
    cursor: String(cursor),
    behind,
    batchMax,
    perSecondMax,
    failingSince: formatInstant(failingSince),
    nextAttemptAt: isWaiting ? formatInstant(retryAt) : undefined,
    parked,
    secretHint,
    previousSecretUntil: formatInstant(previousSecretUntil),
    createdAt: formatInstant(createdAt),
  };
}

/**
 * What its owner decides; deliveries change the rest. `stateReason` stands for `state`: it is set exactly while the webhook
 * is disabled.
 */
export function webhookVersion(view: Shown<Static<typeof Webhook>>) {
  const { id, url, types, description, stateReason, batchMax, perSecondMax, secretHint } = view;
  return { id, url, types, description, stateReason, batchMax, perSecondMax, secretHint };
}

/** The response as it is stored for replays. */
export function withoutWebhookSecret<T extends { secret?: string }>(view: T): Omit<T, 'secret'> {
  const { secret: _, ...rest } = view;
  return rest;
}

export function attemptView(record: AttemptRecord) {
  const { id, firstSequence, lastSequence, attempt, at, durationMs } = record;
  const { outcome, status, excerpt } = record;
  return {
    id,
    firstSequence,
    lastSequence,
    attempt,
    at: formatInstant(at),
    durationMs,
    outcome,
    status,
    excerpt,
  };
}

/** `event` is undefined once it is no longer kept: then only its number is known. */
export function parkedView(
  { sequence, attempts, status, parkedAt }: ParkedRecord,
  event: EventRecord | undefined,
) {
  return {
    eventId: event ? eventId(event) : String(sequence),
    sequence,
    type: event && (eventField(event.text, 'type') as EventType),
    parkedAt: formatInstant(parkedAt),
    attempts,
    status,
  };
}
