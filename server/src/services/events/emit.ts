import type { Transaction } from '../../datastore/datastore.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { PetRecord } from '../../domain/pet.ts';

/** The workspace whose feed it is, and the key that made the change; no key for the operator. */
interface Emitter {
  caller: { workspaceId: number; keyId?: string | undefined; traceparent?: string };
  now: number;
}

/** Appends events of one change to the feed of the workspace. */
export function emit(
  tx: Transaction,
  { caller: { workspaceId, keyId, traceparent }, now }: Emitter,
  ...events: readonly Pick<NewEvent, 'type' | 'data' | 'before'>[]
): Promise<void> {
  const by = { at: now, traceparent, ...(keyId === undefined ? {} : { keyId }) };
  return tx.events.append(
    workspaceId,
    events.map((event) => ({ ...event, ...by })),
  );
}

/** The data of an event about a pet. */
export function petData(pet: PetRecord) {
  return { pet, inventory: { petId: pet.id, stock: pet.stock } };
}

/** The earlier values of the fields that differ, null for one that was unset; undefined when none differs. */
export function changedFields<T extends object>(
  before: T,
  after: T,
  names: readonly (keyof T & string)[],
): Record<string, unknown> | undefined {
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, before[name] ?? null]));
}
