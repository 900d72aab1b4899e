import { recordOf } from '../../datastore/stored-event.ts';
import { arrivalTable, getTable } from '../../datastore/tables.ts';
import { eventJson } from '../../domain/event.ts';
import { instantIn, textIn, wholeIn } from './fields.ts';
import type { Line, Noun } from './noun.ts';
import type { Target } from './target.ts';

const eventTable = getTable('events');

/** The feed. An event keeps its number; its id is another, because it names the workspace. */
export const eventNoun: Noun = {
  name: 'events',
  table: eventTable,
  lineOf: ([workspaceId, sequence, type, at, text]) =>
    eventJson(recordOf(workspaceId as number, [sequence, type, at, text] as never)),
  rowOf: ({ id: _, sequence, ...event }, target) => rowOf(wholeIn(sequence), event, target),
};

/** Events that had no number yet. They get the next ones. */
export const arrivalNoun: Noun = {
  name: 'arrivals',
  table: arrivalTable,
  lineOf: ([workspaceId, , , type, at, text]) =>
    recordOf(workspaceId as number, [0, type, at, text] as never).text,
  into: eventTable,
  rowOf: (event, target) => rowOf(target.nextSequence(), event, target),
};

function rowOf(sequence: number, event: Line, target: Target) {
  const text = JSON.stringify(withOtherIds(event, '', target));
  const at = instantIn(event.timestamp);
  return [target.workspaceId, sequence, textIn(event.type), at, textIn(text)];
}

/** The table of a record by the name that it has in an event. */
const tableOf: Readonly<Record<string, string>> = {
  pet: 'pets',
  category: 'categories',
  order: 'orders',
  movement: 'movements',
  webhook: 'webhooks',
};
const references: Readonly<Record<string, string>> = {
  petId: 'pets',
  categoryId: 'categories',
  orderId: 'orders',
  reverses: 'movements',
  reversedBy: 'movements',
};

/** The same with the ids that its records get. `name` is that of the value in the object around it. */
function withOtherIds(value: unknown, name: string, target: Target): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([field, each]) => {
    // What clients have written into metadata means nothing to the service.
    if (field === 'metadata') return [field, each];
    return [field, otherId(name, field, each, target) ?? withOtherIds(each, field, target)];
  });
  return Object.fromEntries(entries);
}

/** Undefined for what is no id. */
function otherId(name: string, field: string, value: unknown, target: Target) {
  if (typeof value === 'string') {
    const isKey = field === 'keyId' || (field === 'id' && (name === 'key' || name === 'newKey'));
    return isKey ? target.keyId(value) : undefined;
  }
  if (typeof value !== 'number') return undefined;
  if (field === 'workspaceId' || (field === 'id' && name === 'workspace'))
    return target.workspaceId;
  const table = field === 'id' ? tableOf[name] : references[field];
  return table && target.id(table, value);
}
