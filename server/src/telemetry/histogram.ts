/** Durations in buckets, as plain numbers: counting must cost next to nothing. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #boundsMs: readonly number[];
  readonly #counts: number[];
  #sumMs = 0;

  constructor({
    name,
    help,
    boundsMs,
  }: { name: string; help: string; boundsMs: readonly number[] }) {
    this.#name = name;
    this.#help = help;
    this.#boundsMs = boundsMs;
    this.#counts = new Array<number>(boundsMs.length + 1).fill(0);
  }

  add(durationMs: number): void {
    let bucket = 0;
    while (bucket < this.#boundsMs.length && durationMs > this.#boundsMs[bucket]!) bucket += 1;
    this.#counts[bucket]! += 1;
    this.#sumMs += durationMs;
  }

  /** In the exposition format. */
  text(): string {
    const name = this.#name;
    let total = 0;
    const bounds = [...this.#boundsMs.map((bound) => String(bound / 1000)), '+Inf'];
    const rows = bounds.map((bound, at) => {
      total += this.#counts[at]!;
      return `${name}_bucket{le="${bound}"} ${total}`;
    });
    return [
      `# HELP ${name} ${this.#help}`,
      `# TYPE ${name} histogram`,
      ...rows,
      `${name}_sum ${this.#sumMs / 1000}`,
      `${name}_count ${total}`,
      '',
    ].join('\n');
  }
}
