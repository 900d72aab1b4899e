import { Counter, Histogram, type Registry } from 'prom-client';

export interface Route {
  method: string;
  /** The template, such as `/v1/pets/{petId}`. */
  route: string;
}

const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TIME = 'Time from the head of a request until its response is sent.';
/** A counter that begins above 0 shows no increase in Prometheus, so these are there from the start. */
const ALERTED = [500, 503];
const NO_ROUTE: Route = { method: '_OTHER', route: '' };
/** What came before any route was known. */
const MALFORMED = 'malformed';

/** Counts and durations of requests. */
export class RequestMetrics {
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #count = new Counter({
    name: 'petstore_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [],
  });
  readonly #seconds = new Histogram({
    name: 'petstore_request_seconds',
    help: TIME,
    buckets: BOUNDS,
    registers: [],
  });
  readonly #routeSeconds = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: `${TIME} By route.`,
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: BOUNDS,
    registers: [],
  });
  #total = 0;

  /** The routes by operation. */
  constructor(routes: ReadonlyMap<string, Route>) {
    this.#routes = routes;
    for (const operation of [...routes.keys(), 'none', MALFORMED]) {
      for (const status of ALERTED) this.#count.inc({ operation, status }, 0);
    }
  }

  /** How many requests were answered so far. */
  get total(): number {
    return this.#total;
  }

  count(operation: string, status: number, durationMs: number): void {
    const seconds = durationMs / 1000;
    const { method, route } = this.#routes.get(operation) ?? NO_ROUTE;
    const labels = { http_request_method: method, http_route: route };
    this.#total += 1;
    this.#count.inc({ operation, status });
    this.#seconds.observe(seconds);
    this.#routeSeconds.observe({ ...labels, http_response_status_code: status }, seconds);
  }

  /** Counts a response that was sent before any route was known. */
  countMalformed(status: number): void {
    this.#total += 1;
    this.#count.inc({ operation: MALFORMED, status });
  }

  register(registry: Registry): void {
    registry.registerMetric(this.#count);
    registry.registerMetric(this.#seconds);
    registry.registerMetric(this.#routeSeconds);
  }
}
