import { auditTable } from '../../datastore/logs/audit-log.ts';
import { numberedText } from '../../datastore/stored-event.ts';
import { arrivalTable, getTable } from '../../datastore/tables.ts';
import { type Actor, actorTypes, hiddenActors } from '../../domain/logs/audit.ts';
import { BrokenArchive } from '../../lib/tar.ts';
import {
  id,
  instant,
  instantIn,
  json,
  optional,
  type Target,
  text,
  textIn,
  wholeIn,
} from './fields.ts';
import { type Line, type Noun, recordNoun } from './noun.ts';

const eventTable = getTable('events');

/** The feed. An event keeps its number; its id is another, because it names the workspace. */
export const eventNoun: Noun = {
  name: 'events',
  table: eventTable,
  lineOf: (row) => row.at(-1) as string,
  rowOf: ({ id: _, sequence, ...event }, target) => rowOf(wholeIn(sequence), event, target),
};

/** Events that had no number yet. They get the next ones. */
export const arrivalNoun: Noun = {
  name: 'arrivals',
  table: arrivalTable,
  lineOf: (row) => row.at(-1) as string,
  into: eventTable,
  rowOf: (event, target) => rowOf(target.nextSequence(), event, target),
};

function rowOf(sequence: number, event: Line, target: Target) {
  const { workspaceId } = target;
  const { type, timestamp } = event;
  const at = instantIn(timestamp);
  // Where readers look for them, whatever the order in the archive is.
  const ordered = { type: textIn(type), timestamp, ...event };
  const text = numberedText(JSON.stringify(withOtherIds(ordered, '', target)), {
    workspaceId,
    sequence,
  });
  return [workspaceId, sequence, at, null, textIn(text)];
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

const flat = recordNoun('audit', auditTable, {
  id: id('audit_log'),
  at: instant,
  action: text,
  actorType: text,
  actorId: optional(text),
  actorName: optional(text),
  target: text,
  before: { ...optional(json), column: 'fields_before' },
  after: { ...optional(json), column: 'fields_after' },
  requestId: optional(text),
  address: optional(text),
});

/** An owner reads that an operator, or a command on the machine, made a change, and not who. */
export const auditNoun: Noun = {
  ...flat,
  lineOf: (row, audience) => {
    const line = JSON.parse(flat.lineOf(row, audience)) as Line;
    const { actorType, actorId, actorName, requestId, address, ...rest } = line;
    const type = actorType as Actor['type'];
    if (audience === 'owner' && hiddenActors.includes(type)) {
      return JSON.stringify({ ...rest, actor: { type } });
    }
    const actor = { type, id: actorId, name: actorName };
    return JSON.stringify({ ...rest, actor, requestId, address });
  },
  rowOf: ({ actor, target, ...line }, to) => {
    const { type, id, name } = (actor ?? {}) as Partial<Actor>;
    if (!actorTypes.includes(type!)) throw new BrokenArchive('actor is none');
    const isKey = type === 'key' || type === 'session';
    const actorId = isKey && typeof id === 'string' ? to.keyId(id) : id;
    const renamed = { actorType: type, actorId, actorName: name, target: targetIn(target, to) };
    return flat.rowOf!({ ...line, ...renamed }, to);
  },
};

/** `key:ID`, `session:ID` or `webhook:3`, with the id that it gets. */
function targetIn(target: unknown, to: Target): unknown {
  const [, kind, id = ''] = /^(key|session|webhook):(.*)$/.exec(String(target)) ?? [];
  if (kind === undefined) return target;
  const isNumber = kind === 'webhook' && /^[1-9]\d{0,14}$/.test(id);
  return `${kind}:${isNumber ? to.id('webhooks', Number(id)) : to.keyId(id)}`;
}
