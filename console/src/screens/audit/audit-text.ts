// A row of the audit log in words.

import type { AuditEntry } from '@petstore/client';
import { dateTime, number } from '../../ui/format.ts';
import { auditWords as words } from '../../words/account/audit.ts';
import { controlWords } from '../../words/controls.ts';
import { limitWords } from '../../words/shell/limits.ts';
import { workspaceWords } from '../../words/workspaces.ts';

const KEYS = new Set(['keyId', 'newKeyId']);
const INSTANTS = new Set(['expiresAt', 'until', 'eraseAt']);

type Names = ReadonlyMap<string, string>;

/** A value of a field as the reader writes it. */
function valueText(field: string, value: unknown, names: Names): string {
  if (value === undefined || value === null || value === '') return controlWords.none;
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return value.length === 0 ? words.all : value.join(', ');
  if (field === 'plan') return limitWords.plans[String(value)] ?? String(value);
  if (field === 'state') {
    return (workspaceWords.states as Record<string, string>)[String(value)] ?? String(value);
  }
  if (KEYS.has(field)) return names.get(String(value)) ?? String(value);
  if (INSTANTS.has(field)) return dateTime(String(value));
  if (typeof value === 'object') {
    const { perMinute, perDay } = value as { perMinute?: number; perDay?: number };
    if (perMinute !== undefined && perDay !== undefined)
      return workspaceWords.limits(perMinute, perDay);
    return JSON.stringify(value);
  }
  return String(value);
}

/** "Name: web shop → till", for each field that changed. */
export function changesText({ before = {}, after = {} }: AuditEntry, names: Names): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].map((field) => {
    const name = words.fields[field] ?? field;
    const [was, is] = [before, after].map((each) => each[field as keyof typeof each]);
    const text = (value: unknown) => valueText(field, value, names);
    if (field in before && field in after) return words.changed(name, text(was), text(is));
    return words.set(name, text(field in after ? is : was));
  });
}

/** Who made the change. Of an operator the owner learns no more. */
export function whoText({ actor: { type, id = '', name = id } }: AuditEntry): string {
  return words.actors[type](name);
}

/** What was changed. */
export function targetText(target: string, names: Names): string {
  const [kind, id = ''] = target.split(/:(.*)/s);
  if (kind === 'key') return words.targets.key(names.get(id) ?? id);
  if (kind === 'session') return words.targets.session(id);
  if (kind === 'webhook') return words.targets.webhook(id);
  return kind === 'workspace' ? words.targets.workspace : target;
}
