import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { once } from '../lib/once.ts';
import { RequestMetrics, type Route } from './request-metrics.ts';

const cpuCounters: Record<string, (used: NodeJS.CpuUsage) => number> = {
  process_cpu_user_seconds_total: ({ user }) => user,
  process_cpu_system_seconds_total: ({ system }) => system,
  process_cpu_seconds_total: ({ user, system }) => user + system,
};

/** A counter that is read when the page is asked for. */
interface WatchedCounter {
  name: string;
  help: string;
  read: () => number;
}

/** A gauge that is read when the page is asked for. */
interface WatchedGauge {
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
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #registry = once(() => this.#register());
  readonly #shown: Metric[] = [];
  readonly #counters: WatchedCounter[] = [];
  readonly #gauges: WatchedGauge[] = [];

  /** The routes by operation. */
  constructor(routes: ReadonlyMap<string, Route>) {
    this.requests = new RequestMetrics(routes);
  }

  /** Shows a metric. To be called before the first scrape, like the two below. */
  show(metric: Metric): void {
    this.#shown.push(metric);
  }

  watchCounter(counter: WatchedCounter): void {
    this.#counters.push(counter);
  }

  watch(gauge: WatchedGauge): void {
    this.#gauges.push(gauge);
  }

  async text(): Promise<string> {
    return `${await this.#registry().metrics()}\n${this.requests.text()}`;
  }

  /** By the first scrape, when all parts of the service watch what they show. */
  #register(): Registry {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    countCpuSinceStart(registry);
    for (const counter of this.#counters) registerCounter(registry, counter);
    for (const gauge of this.#gauges) registerGauge(registry, gauge);
    for (const metric of this.#shown) registry.registerMetric(metric);
    return registry;
  }
}

function registerCounter(registry: Registry, { name, help, read }: WatchedCounter): void {
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

function registerGauge(registry: Registry, { name, help, label, read }: WatchedGauge): void {
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
