import { auditTable } from '../../datastore/logs/audit-log.ts';
import { type Actor, actorTypes, hiddenActors } from '../../domain/logs/audit.ts';
import { BrokenArchive } from '../../lib/tar.ts';
import { id, instant, json, optional, text } from './fields.ts';
import { type Line, type Noun, recordNoun } from './noun.ts';
import type { Target } from './target.ts';

const flat = recordNoun(
  'audit',
  auditTable,
  {
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
  },
  { hidden: () => ({}) },
);

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
