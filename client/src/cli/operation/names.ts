// People read names, so tables and CSV show them beside ids. JSON stays what the API sends.

import { Categories, Pets } from '../../contract.ts';
import type { Transport } from '../../transport.ts';
import type { Arguments, OperationCommand } from '../command.ts';
import type { Format } from '../output.ts';

type Fields = Record<string, unknown>;

const PER_PAGE = 100;
/** How many pages of categories are read for their names. */
const PAGES_MAX = 10;

/** Adds the names of a page of records. */
type AddNames = (items: readonly Fields[]) => Promise<Fields[]>;

/** The command with a column for names, if it shows them. */
export function withNameColumn(
  command: OperationCommand,
  { flags }: Arguments,
  format: Format,
): OperationCommand {
  const { names, columns } = command;
  const isShown = format === 'table' || format === 'csv';
  if (!names || !isShown || flags.has('no-names')) return command;
  return {
    ...command,
    columns: columns.flatMap((each) => (each === names.of ? [each, names.as] : [each])),
  };
}

/** One more request for a page of pets; categories are read once. */
export function nameAdder(
  { names, columns }: OperationCommand,
  fields: readonly string[] | undefined,
  transport: Transport,
  signal: AbortSignal,
): AddNames {
  if (!names || !(fields ?? columns).includes(names.as)) return async (items) => [...items];
  const { of, as } = names;
  let categories: Promise<Map<unknown, string>> | undefined;
  const namesOf = (ids: number[]) => {
    if (as === 'pet') return petNames(ids, transport, signal);
    categories ??= categoryNames(transport, signal);
    return categories;
  };
  return async (items) => {
    const ids = [...new Set(items.map((item) => item[of] as number))];
    const found = ids.length > 0 ? await namesOf(ids) : new Map<unknown, string>();
    return items.map((item) => ({ ...item, [as]: found.get(item[of]) ?? '' }));
  };
}

/** The names of up to 100 pets. */
export async function petNames(id: number[], transport: Transport, signal: AbortSignal) {
  const { items } = await new Pets(transport).list({ id, limit: PER_PAGE }, { signal });
  return new Map<unknown, string>(items.map((pet) => [pet.id, pet.name]));
}

async function categoryNames(transport: Transport, signal: AbortSignal) {
  const names = new Map<unknown, string>();
  let pages = 0;
  const list = new Categories(transport).list({ limit: PER_PAGE }, { signal });
  for await (const page of list.pages()) {
    for (const { id, name } of page.items) names.set(id, name);
    pages += 1;
    if (pages === PAGES_MAX) break;
  }
  return names;
}
