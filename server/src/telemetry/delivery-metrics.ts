import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type DeliveryOutcome, deliveryOutcomes, type WebhookState } from '../domain/delivery.ts';

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
  readonly #counts = new Map<DeliveryOutcome, number>(
    deliveryOutcomes.map((outcome) => [outcome, 0]),
  );
  readonly #durations = new Histogram({
    name: 'petstore_webhook_delivery_seconds',
    help: 'Time from the start of an attempt to deliver until its outcome.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15],
    registers: [],
  });
  #countWebhooks: (() => Promise<WebhookCount[]>) | undefined;

  /** Pings and redeliveries are attempts too. */
  readonly countAttempt = (attempt: { outcome: DeliveryOutcome; durationMs: number }): void => {
    this.#counts.set(attempt.outcome, this.#counts.get(attempt.outcome)! + 1);
    this.#durations.observe(attempt.durationMs / 1000);
  };

  /** Shows the metrics from now on. Nodes without webhooks have none. */
  watch(countWebhooks: () => Promise<WebhookCount[]>): void {
    this.#countWebhooks = countWebhooks;
  }

  register(registry: Registry): void {
    const countWebhooks = this.#countWebhooks;
    if (!countWebhooks) return;
    registry.registerMetric(this.#durations);
    const registers = [registry];
    const counts = this.#counts;
    new Counter({
      name: 'petstore_webhook_deliveries_total',
      help: 'Attempts to deliver, by outcome.',
      labelNames: ['outcome'],
      registers,
      collect() {
        this.reset();
        for (const [outcome, count] of counts) this.inc({ outcome }, count);
      },
    });
    let reading: Promise<WebhookCount[]> | undefined;
    // Both gauges of a scrape share one query.
    const read = () => {
      reading ??= countWebhooks()
        // If the query fails, these gauges are empty and the rest of the page is served.
        .catch((): WebhookCount[] => [])
        .finally(() => {
          reading = undefined;
        });
      return reading;
    };
    const byState = (name: string, help: string, figureOf: (count: WebhookCount) => number) =>
      new Gauge({
        name,
        help,
        labelNames: ['state'],
        registers,
        async collect() {
          const found = await read();
          this.reset();
          for (const count of found) this.set({ state: count.state }, figureOf(count));
        },
      });
    byState('petstore_webhooks', 'Webhooks in the database, by state.', ({ webhooks }) => webhooks);
    byState(
      'petstore_webhook_events_behind',
      'Events that webhooks have still to look at, by their state.',
      ({ behind }) => behind,
    );
  }
}
