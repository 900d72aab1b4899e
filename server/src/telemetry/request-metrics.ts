// Counts and durations of requests by operation and status. They are plain numbers until they are scraped: a histogram of
// the library would hash its labels at every request.

interface Series {
  count: number;
  seconds: number;
  /** How many took at most as long as the bound at the same place. */
  buckets: number[];
}

export interface Route {
  method: string;
  /** The template, such as `/v1/pets/{petId}`. */
  route: string;
}

const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A counter that begins above 0 shows no increase in Prometheus, so these are there from the start. */
const ALERTED = [500, 503];
const NO_ROUTE: Route = { method: '_OTHER', route: '' };
/** What came before any route was known. */
const MALFORMED = 'malformed';

export class RequestMetrics {
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #series = new Map<string, Map<number, Series>>();

  /** The routes by operation. */
  constructor(routes: ReadonlyMap<string, Route>) {
    this.#routes = routes;
    for (const operation of [...routes.keys(), 'none', MALFORMED]) {
      for (const status of ALERTED) this.#find(operation, status);
    }
  }

  count(operation: string, status: number, durationMs: number): void {
    const series = this.#find(operation, status);
    const seconds = durationMs / 1000;
    series.count += 1;
    series.seconds += seconds;
    for (let at = BOUNDS.length - 1; at >= 0 && seconds <= BOUNDS[at]!; at--) {
      series.buckets[at]! += 1;
    }
  }

  /** Counts a response that was sent before any route was known. */
  countMalformed(status: number): void {
    this.#find(MALFORMED, status).count += 1;
  }

  /** How many requests were answered so far. */
  get total(): number {
    let total = 0;
    for (const byStatus of this.#series.values()) {
      for (const { count } of byStatus.values()) total += count;
    }
    return total;
  }

  text(): string {
    const counts: string[] = [];
    const histogram: string[] = [];
    const all = newSeries();
    for (const [operation, byStatus] of this.#series) {
      for (const [status, series] of byStatus) {
        counts.push(
          `petstore_requests_total{operation="${operation}",status="${status}"} ${series.count}`,
        );
        if (series.count === 0 || operation === MALFORMED) continue;
        add(all, series);
        const { method, route } = this.#routes.get(operation) ?? NO_ROUTE;
        const labels = `http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"`;
        histogram.push(...lines('http_server_request_duration_seconds', labels, series));
      }
    }
    return [
      ...head('petstore_requests_total', 'counter', 'Requests answered, by operation and status.'),
      ...counts,
      ...head('petstore_request_seconds', 'histogram', TIME),
      ...lines('petstore_request_seconds', '', all),
      ...head('http_server_request_duration_seconds', 'histogram', `${TIME} By route.`),
      ...histogram,
      '',
    ].join('\n');
  }

  #find(operation: string, status: number): Series {
    let byStatus = this.#series.get(operation);
    if (!byStatus) {
      byStatus = new Map();
      this.#series.set(operation, byStatus);
    }
    let series = byStatus.get(status);
    if (!series) {
      series = newSeries();
      byStatus.set(status, series);
    }
    return series;
  }
}

const TIME = 'Time from the head of a request until its response is sent.';

function newSeries(): Series {
  return { count: 0, seconds: 0, buckets: BOUNDS.map(() => 0) };
}

function add(sum: Series, { count, seconds, buckets }: Series): void {
  sum.count += count;
  sum.seconds += seconds;
  for (const [at, each] of buckets.entries()) sum.buckets[at]! += each;
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function lines(name: string, labels: string, { count, seconds, buckets }: Series): string[] {
  const and = labels === '' ? '' : `${labels},`;
  const braced = labels === '' ? '' : `{${labels}}`;
  return [
    ...BOUNDS.map((bound, at) => `${name}_bucket{${and}le="${bound}"} ${buckets[at]}`),
    `${name}_bucket{${and}le="+Inf"} ${count}`,
    `${name}_sum${braced} ${seconds}`,
    `${name}_count${braced} ${count}`,
  ];
}
