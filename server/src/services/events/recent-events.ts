import type { EventRecord } from '../../domain/event.ts';

const EVENTS_MAX = 1_000;
/** In characters of their texts. */
const LENGTH_MAX = 1_000_000;

/** The newest events of one feed, consecutive, the newest last. The oldest of them are dropped when it is full. */
export class RecentEvents {
  readonly #records: EventRecord[] = [];
  #length = 0;

  get count(): number {
    return this.#records.length;
  }

  withoutOldest(count: number): EventRecord[] {
    return this.#records.slice(count);
  }

  add(records: readonly EventRecord[]): void {
    for (const record of records) {
      this.#records.push(record);
      this.#length += record.text.length;
    }
    while (this.count > EVENTS_MAX || this.#length > LENGTH_MAX) this.#dropOldest(1);
  }

  clear(): void {
    this.#dropOldest(this.count);
  }

  #dropOldest(count: number): void {
    for (const { text } of this.#records.splice(0, count)) this.#length -= text.length;
  }
}
