import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { once } from '../lib/once.ts';
import { DeliveryMetrics } from './delivery-metrics.ts';
import { RequestMetrics, type Route } from './request-metrics.ts';

const cpuCounters: Record<string, (used: NodeJS.CpuUsage) => number> = {
  process_cpu_user_seconds_total: ({ user }) => user,
  process_cpu_system_seconds_total: ({ system }) => system,
  process_cpu_seconds_total: ({ user, system }) => user + system,
};

/** A gauge that is read when the page is asked for. */
interface Watched {
  name: string;
  help: string;
  /** The name of its label, where `read` returns one figure for each value of it. */
  label?: string;
  /** Undefined: the gauge is not shown. If it fails, the rest of the page is served. */
  read: () => Figures | Promise<Figures>;
}

type Figures = number | undefined | ReadonlyMap<string, number>;

/**
 * Metrics for Prometheus. Labels are operation ids and status codes, never paths or keys, so that clients cannot make
 * the page grow. Counts are plain numbers until they are scraped.
 */
export class Metrics {
  readonly requests: RequestMetrics;
  readonly deliveries = new DeliveryMetrics();
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #registry = once(() => this.#register());
  #limiterFailures = 0;
  #feedDelays = 0;
  readonly #watched: Watched[] = [];
  #droppedRows: () => number = () => 0;

  /** The routes by operation. */
  constructor(routes: ReadonlyMap<string, Route>) {
    this.requests = new RequestMetrics(routes);
  }

  countLimiterFailure(): void {
    this.#limiterFailures += 1;
  }

  /** Counts a read of a feed that could not number what had arrived. */
  countFeedDelay(): void {
    this.#feedDelays += 1;
  }

  /** Shows a gauge from now on. To be called before the first scrape. */
  watch(watched: Watched): void {
    this.#watched.push(watched);
  }

  /** Shows how many rows of the request log were dropped because too many waited to be written. */
  watchDroppedRows(dropped: () => number): void {
    this.#droppedRows = dropped;
  }

  async text(): Promise<string> {
    return `${await this.#registry().metrics()}\n${this.requests.text()}`;
  }

  /** By the first scrape, when all parts of the service watch what they show. */
  #register(): Registry {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    countCpuSinceStart(registry);
    registerCounter(registry, {
      name: 'petstore_limiter_failures_total',
      help: 'Times the limiter could not reach its store and decided by itself.',
      read: () => this.#limiterFailures,
    });
    registerCounter(registry, {
      name: 'petstore_feed_delays_total',
      help: 'Reads of a feed that could not number new events, because another transaction held the feed.',
      read: () => this.#feedDelays,
    });
    for (const watched of this.#watched) registerGauge(registry, watched);
    registerCounter(registry, {
      name: 'petstore_request_log_dropped_total',
      help: 'Requests that are not in the request log because too many waited to be written.',
      read: () => this.#droppedRows(),
    });
    this.deliveries.register(registry);
    return registry;
  }
}

function registerCounter(
  registry: Registry,
  { name, help, read }: { name: string; help: string; read: () => number },
): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

function registerGauge(registry: Registry, { name, help, label, read }: Watched): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      let figures: Figures;
      try {
        figures = await read();
      } catch {
        figures = undefined;
      }
      if (typeof figures === 'number') return this.set(figures);
      if (label === undefined) return this.remove();
      this.reset();
      for (const [value, figure] of figures ?? []) this.set({ [label]: value }, figure);
    },
  });
}

/** The library counts from the first scrape; the process has used CPU time before. */
function countCpuSinceStart(registry: Registry): void {
  for (const [name, microsecondsOf] of Object.entries(cpuCounters)) {
    registry.removeSingleMetric(name);
    registerCounter(registry, {
      name,
      help: 'CPU time spent since the process started, in seconds.',
      read: () => microsecondsOf(process.cpuUsage()) / 1e6,
    });
  }
}
