import type { WebhookHealth } from '../../domain/delivery.ts';
import type { WebhookLease } from '../../domain/webhook.ts';

export interface DueRequest {
  /** By the node's clock, which is used only on SQLite. */
  now: number;
  limit: number;
  /** Whether to return webhooks whose last attempt failed, or the others. */
  isFailing: boolean;
}

/** What a worker saves about the webhook that it holds. */
export interface DeliveryProgress {
  cursor: number;
  batchLast?: number;
  isVerified: boolean;
  health: WebhookHealth;
  /** When to send again. */
  retryInMs: number;
  /** When a worker must look at it again, at the latest; absent when that is with the next event. */
  dueInMs?: number | undefined;
  /** Whether others may take it now. */
  isReleased: boolean;
}

export type LeaseKey = Pick<WebhookLease, 'leaseNumber'> & {
  webhook: Pick<WebhookLease['webhook'], 'id' | 'workspaceId' | 'revision' | 'cursor'>;
};
