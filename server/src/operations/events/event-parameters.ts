import type { Refusal } from '../../domain/errors.ts';
import { invalidField } from '../../domain/errors.ts';
import { eventTypePatterns } from '../../domain/event.ts';
import { CURSOR_LENGTH_MAX } from '../../domain/event-cursor.ts';
import { type Param, text } from '../parameters.ts';

const TYPES_MAX = 20;

export const after = text(
  'The event to continue after: its id or number, `0` for the beginning, or `latest`.',
  CURSOR_LENGTH_MAX,
);

export const type: Param<string> & { repeatable: number } = {
  description: 'Only events of this type; `order.*` for all types of a kind. May be repeated.',
  schema: { type: 'string', enum: eventTypePatterns },
  repeatable: TYPES_MAX,
  parse: (given, name) => {
    if (!eventTypePatterns.includes(given)) throw unknownType(name);
    return given;
  },
};

function unknownType(name: string): Refusal {
  return invalidField(name, 'must be a type of event, like order.placed, or a kind, like order.*');
}
