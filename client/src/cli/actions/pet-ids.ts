import { Pets } from '../../contract.ts';
import type { Transport } from '../../transport.ts';
import { UsageError } from '../command.ts';

const PER_PAGE = 100;
const PAGES_MAX = 10;

/** Finds the pets that people name: by their id, else by their reference, else by a name that only one pet has. */
export class PetIds {
  readonly #pets: Pets;
  readonly #signal: AbortSignal;

  constructor(transport: Transport, signal: AbortSignal) {
    this.#pets = new Pets(transport);
    this.#signal = signal;
  }

  async find(text: string): Promise<number> {
    if (/^\d+$/.test(text)) return Number(text);
    return (await this.byReference([text])).get(text) ?? (await this.byName(text));
  }

  /** The ids of those references that a pet has, for one request for each 100. */
  async byReference(references: readonly string[]): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    for (let at = 0; at < references.length; at += PER_PAGE) {
      const reference = references.slice(at, at + PER_PAGE);
      const query = { reference, limit: PER_PAGE };
      const { items } = await this.#pets.list(query, { signal: this.#signal });
      for (const pet of items) ids.set(pet.reference!, pet.id);
    }
    return ids;
  }

  /** Whatever the case of its letters. `place` begins the message of a fault. */
  async byName(name: string, place = ''): Promise<number> {
    const options = { signal: this.#signal };
    const wanted = name.toLowerCase();
    const ids: number[] = [];
    let pages = 0;
    for await (const page of this.#pets.list({ name, limit: PER_PAGE }, options).pages()) {
      ids.push(
        ...page.items.filter((pet) => pet.name.toLowerCase() === wanted).map(({ id }) => id),
      );
      pages += 1;
      if (pages === PAGES_MAX) break;
    }
    if (ids.length === 1) return ids[0]!;
    throw new UsageError(
      ids.length === 0
        ? `${place}no pet has the reference or the name ${name}`
        : `${place}${ids.length} pets have the name ${name}: give the id, one of ${ids.slice(0, 5).join(', ')}`,
    );
  }
}
