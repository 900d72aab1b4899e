import type { Refusal } from '../../domain/errors.ts';
import { invalidField } from '../../domain/errors.ts';
import { type EventType, eventTypeNames } from '../../domain/event.ts';
import { type Param, text } from '../parameters.ts';

const CURSOR_LENGTH_MAX = 100;
const TYPES_MAX = 20;
const groups = [...new Set(eventTypeNames.map((name) => `${name.split('.', 1)[0]}.*`))];
const patterns: readonly string[] = ['*', ...groups, ...eventTypeNames];

export const after = text(
  'The event to continue after: its id or number, `0` for the beginning, or `latest`.',
  CURSOR_LENGTH_MAX,
);

export const type: Param<string> & { repeatable: number } = {
  description: 'Only events of this type; `order.*` for all types of a kind. May be repeated.',
  schema: { type: 'string', enum: patterns },
  repeatable: TYPES_MAX,
  parse: (given, name) => {
    if (!patterns.includes(given)) throw unknownType(name);
    return given;
  },
};

function unknownType(name: string): Refusal {
  return invalidField(name, 'must be a type of event, like order.placed, or a kind, like order.*');
}

/** The types that patterns name; undefined for all. */
export function typesOf(given: readonly string[] | undefined): ReadonlySet<EventType> | undefined {
  if (!given || given.includes('*')) return undefined;
  return new Set(eventTypeNames.filter((name) => given.some((pattern) => matches(name, pattern))));
}

function matches(name: EventType, pattern: string): boolean {
  return pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
