import { Counter, Histogram } from 'prom-client';
import { type DeliveryOutcome, deliveryOutcomes, type WebhookState } from '../domain/delivery.ts';
import type { Metrics } from './metrics.ts';

/** The webhooks of one state, of all workspaces. */
interface WebhookCount {
  state: WebhookState;
  webhooks: number;
  /** How many events they have still to look at, together. */
  behind: number;
}

/**
 * Metrics of deliveries. Attempts are those of this node. Webhooks are counted in the database, so every node shows the same
 * numbers. Labels are outcomes and states, never webhooks, so that owners cannot make the page grow.
 */
export class DeliveryMetrics {
  readonly #attempts = new Counter({
    name: 'petstore_webhook_deliveries_total',
    help: 'Attempts to deliver, by outcome.',
    labelNames: ['outcome'],
    registers: [],
  });
  readonly #durations = new Histogram({
    name: 'petstore_webhook_delivery_seconds',
    help: 'Time from the start of an attempt to deliver until its outcome.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15],
    registers: [],
  });

  constructor() {
    for (const outcome of deliveryOutcomes) this.#attempts.inc({ outcome }, 0);
  }

  /** Pings and redeliveries are attempts too. */
  readonly countAttempt = (attempt: { outcome: DeliveryOutcome; durationMs: number }): void => {
    this.#attempts.inc({ outcome: attempt.outcome });
    this.#durations.observe(attempt.durationMs / 1000);
  };

  /** Nodes without webhooks do not show them. */
  showIn(metrics: Metrics, countWebhooks: () => Promise<WebhookCount[]>): void {
    metrics.show(this.#durations);
    metrics.show(this.#attempts);
    const byState = (figureOf: (count: WebhookCount) => number) => async () =>
      new Map((await countWebhooks()).map((each) => [each.state, figureOf(each)] as const));
    metrics.watch({
      name: 'petstore_webhooks',
      help: 'Webhooks in the database, by state.',
      label: 'state',
      read: byState(({ webhooks }) => webhooks),
    });
    metrics.watch({
      name: 'petstore_webhook_events_behind',
      help: 'Events that webhooks have still to look at, by their state.',
      label: 'state',
      read: byState(({ behind }) => behind),
    });
  }
}
