import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

const BUCKET_MS = [1, 5, 10, 50, 100, 500, 1_000, 5_000];

/**
 * Numbers for Prometheus. Labels are operation ids and status codes, never paths or keys, so the page
 * does not grow with what clients send.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #counts = new Map<string, Map<number, number>>();
  readonly #raw = new Map<number, number>();
  readonly #durations = new Array<number>(BUCKET_MS.length + 1).fill(0);
  #durationSum = 0;
  readonly #limiterFailures: Counter;

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    const registers = [this.#registry];
    const counts = this.#counts;
    const raw = this.#raw;
    new Counter({
      name: 'petstore_requests_total',
      help: 'Requests answered, by operation and status.',
      labelNames: ['operation', 'status'],
      registers,
      collect() {
        this.reset();
        for (const [operation, byStatus] of counts) {
          for (const [status, count] of byStatus) this.inc({ operation, status }, count);
        }
        for (const [status, count] of raw) this.inc({ operation: 'malformed', status }, count);
      },
    });
    this.#limiterFailures = new Counter({
      name: 'petstore_limiter_failures_total',
      help: 'Times the limiter could not reach its store and decided by itself.',
      registers,
    });
  }

  countRequest(operation: string, status: number, durationMs: number): void {
    let byStatus = this.#counts.get(operation);
    if (!byStatus) {
      byStatus = new Map();
      this.#counts.set(operation, byStatus);
    }
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    let bucket = 0;
    while (bucket < BUCKET_MS.length && durationMs > BUCKET_MS[bucket]!) bucket += 1;
    this.#durations[bucket]! += 1;
    this.#durationSum += durationMs;
  }

  /** An answer given before any route was known. */
  countRaw(status: number): void {
    this.#raw.set(status, (this.#raw.get(status) ?? 0) + 1);
  }

  countLimiterFailure(): void {
    this.#limiterFailures.inc();
  }

  /** Several nodes share one limiter: whether this one does at the moment, or limits by itself. */
  watchLimiter(isShared: () => boolean): void {
    new Gauge({
      name: 'petstore_limiter_shared',
      help: '1 while limits are decided in the shared store, 0 while this node decides by itself.',
      registers: [this.#registry],
      collect() {
        this.set(isShared() ? 1 : 0);
      },
    });
  }

  async text(): Promise<string> {
    return `${await this.#registry.metrics()}\n${this.#durationText()}`;
  }

  /** A histogram in the exposition format; counting is on the path of every request, so it is ours. */
  #durationText(): string {
    const name = 'petstore_request_seconds';
    let total = 0;
    const bounds = [...BUCKET_MS.map((bound) => String(bound / 1000)), '+Inf'];
    const rows = bounds.map((bound, at) => {
      total += this.#durations[at]!;
      return `${name}_bucket{le="${bound}"} ${total}`;
    });
    return [
      `# HELP ${name} Time from the head of the request until its answer was handed over.`,
      `# TYPE ${name} histogram`,
      ...rows,
      `${name}_sum ${this.#durationSum / 1000}`,
      `${name}_count ${total}`,
      '',
    ].join('\n');
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
