import { Categories } from '../../contract.ts';
import { ConflictError, InvalidRequestError } from '../../errors.ts';
import type { Transport } from '../../transport.ts';

interface Options {
  isDryRun: boolean;
  signal: AbortSignal;
}

/** In a dry run a new category has no id of its own. */
type Found = { id: number; isNew?: boolean } | { message: string };

const PER_PAGE = 100;
/** Stands for a category that a dry run does not create, so that the other fields of a pet are checked. */
const ANY_ID = 1;
/** Categories that are asked for by name one by one, rather than all at once, if there are more than this. */
const PAGES_MAX = 50;

/** The ids of categories by name, whatever the case of its letters. Categories that are missing are created. */
export class CategoryIds {
  readonly #categories: Categories;
  readonly #options: Options;
  #known: Map<string, Found> | undefined;

  constructor(transport: Transport, options: Options) {
    this.#categories = new Categories(transport);
    this.#options = options;
  }

  async find(name: unknown): Promise<Found> {
    if (typeof name !== 'string') return { message: 'must be a string' };
    this.#known ??= await this.#list();
    const key = keyOf(name);
    const found = this.#known.get(key) ?? (await this.#create(name.trim()));
    this.#known.set(key, found);
    return found;
  }

  async #list(): Promise<Map<string, Found>> {
    const known = new Map<string, Found>();
    const { signal } = this.#options;
    let pages = 0;
    for await (const page of this.#categories.list({ limit: PER_PAGE }, { signal }).pages()) {
      for (const { id, name } of page.items) known.set(keyOf(name), { id });
      pages += 1;
      if (pages === PAGES_MAX) break;
    }
    return known;
  }

  async #create(name: string): Promise<Found> {
    const { isDryRun, signal } = this.#options;
    try {
      const created = await this.#categories.create({ name }, { signal, dryRun: isDryRun });
      return isDryRun ? { id: ANY_ID, isNew: true } : { id: created.id };
    } catch (err) {
      if (err instanceof ConflictError) return this.#byName(name);
      if (!(err instanceof InvalidRequestError)) throw err;
      const [fault] = err.details as unknown as { message: string }[];
      return { message: fault?.message ?? err.message };
    }
  }

  async #byName(name: string): Promise<Found> {
    const { signal } = this.#options;
    for await (const each of this.#categories.list({ name, limit: PER_PAGE }, { signal })) {
      if (keyOf(each.name) === keyOf(name)) return { id: each.id };
    }
    return { message: 'exists, but was not found: run this again' };
  }
}

function keyOf(name: string): string {
  return name.trim().toLowerCase();
}
