import { type EventRecord, storedTextOf } from '../../domain/event.ts';

const EVENTS_MAX = 1_000;
/** In characters of their JSON. */
const LENGTH_MAX = 1_000_000;

/** The newest events of one feed, consecutive, the newest last. The oldest of them are dropped when it is full. */
export class RecentEvents {
  readonly #records: EventRecord[] = [];
  /** How long each of them is. */
  readonly #lengths: number[] = [];
  #lengthOfAll = 0;

  get count(): number {
    return this.#records.length;
  }

  withoutOldest(count: number): EventRecord[] {
    return this.#records.slice(count);
  }

  add(records: readonly EventRecord[]): void {
    for (const record of records) {
      const length = storedTextOf(record)?.length ?? 0;
      this.#records.push(record);
      this.#lengths.push(length);
      this.#lengthOfAll += length;
    }
    while (this.count > EVENTS_MAX || this.#lengthOfAll > LENGTH_MAX) this.#dropOldest(1);
  }

  clear(): void {
    this.#dropOldest(this.count);
  }

  #dropOldest(count: number): void {
    this.#records.splice(0, count);
    for (const length of this.#lengths.splice(0, count)) this.#lengthOfAll -= length;
  }
}
