import type { Static } from 'typebox';
import {
  EXPIRY_DAYS_MAX,
  type NewOrder as NewOrderInput,
  ORDER_QUANTITY_MAX,
  orderStates,
} from '../../domain/order.ts';
import {
  choice,
  clearableInstant,
  clearableLine,
  count,
  id,
  instant,
  line,
  newLine,
  object,
  readInstant,
  text,
} from './fields.ts';
import { Metadata, MetadataPatch } from './metadata.ts';
import { Type } from './type.ts';

const petId = id('ID of the animal in the order.');
const quantity = count('Number of units ordered.', 1, ORDER_QUANTITY_MAX);
const shipDate = instant('Expected or actual ship date, to the millisecond, returned in UTC.');
const state = choice(
  orderStates,
  '`open` until it is completed, cancelled or expired; only an open order holds units.',
);
const complete = Type.Boolean({
  description: 'Whether the order has been fulfilled: true in the state `complete`.',
});

const REFERENCE = 'The number of the order in a system of your own; several orders may share one.';
const CUSTOMER = 'Whose order it is, for people to read.';
const NOTE = 'What else there is to know.';
const [REFERENCE_MAX, CUSTOMER_MAX, NOTE_MAX] = [100, 100, 500];

export const NewOrder = object('NewOrder', {
  petId,
  quantity: Type.Optional(count('Number of units ordered; 1 if absent.', 1, ORDER_QUANTITY_MAX)),
  shipDate: Type.Optional(shipDate),
  complete: Type.Optional(
    Type.Boolean({ description: 'Fulfilled at once if true; false if absent.' }),
  ),
  expiresAt: Type.Optional(
    instant(
      `When the order expires if it is still open; later than now and within ${EXPIRY_DAYS_MAX} days. Not with \`complete: true\`.`,
    ),
  ),
  reference: Type.Optional(newLine(REFERENCE, REFERENCE_MAX)),
  customer: Type.Optional(newLine(CUSTOMER, CUSTOMER_MAX)),
  note: Type.Optional(newLine(NOTE, NOTE_MAX)),
  metadata: Type.Optional(Metadata),
});

export const Order = object('Order', {
  id: Type.Optional(id('Unique order identifier.')),
  petId: Type.Optional(petId),
  quantity: Type.Optional(quantity),
  shipDate: Type.Optional(shipDate),
  complete: Type.Optional(complete),
  state: Type.Optional(state),
  createdAt: Type.Optional(instant('When it was placed.')),
  expiresAt: Type.Optional(
    instant('When it expires if it is still open; absent if it does not, and once it has ended.'),
  ),
  endedAt: Type.Optional(
    instant('When it was completed, cancelled or expired; absent while it is open.'),
  ),
  endReason: Type.Optional(
    text('Why it was cancelled, if a reason was given; `expired` if it has expired.', 200),
  ),
  reference: Type.Optional(line(REFERENCE, REFERENCE_MAX)),
  customer: Type.Optional(line(CUSTOMER, CUSTOMER_MAX)),
  note: Type.Optional(line(NOTE, NOTE_MAX)),
  metadata: Type.Optional(Metadata),
});

export const OrderPatch = object('OrderPatch', {
  quantity: Type.Optional(quantity),
  shipDate: Type.Optional(clearableInstant('Expected or actual ship date; null clears it.')),
  complete: Type.Optional(Type.Boolean({ description: 'True fulfils the order.' })),
  expiresAt: Type.Optional(
    clearableInstant(
      `When the order expires if it is still open; later than now and within ${EXPIRY_DAYS_MAX} days. Null: it does not expire. Not with \`complete: true\`.`,
    ),
  ),
  reference: Type.Optional(clearableLine(REFERENCE, REFERENCE_MAX)),
  customer: Type.Optional(
    clearableLine(`${CUSTOMER} Null alone is accepted in every state.`, CUSTOMER_MAX),
  ),
  note: Type.Optional(clearableLine(NOTE, NOTE_MAX)),
  metadata: Type.Optional(MetadataPatch),
});

export const exampleOrder = {
  id: 10,
  petId: 1,
  quantity: 2,
  shipDate: '2026-12-24T10:00:00Z',
  complete: false,
  state: 'open',
  createdAt: '2026-11-15T09:30:00Z',
  reference: 'WEB-2041',
  customer: 'Ada Lovelace',
} satisfies Static<typeof Order>;

/** The order that a body of placeOrder or a row of a batch asks for. */
export function newOrderOf(body: Static<typeof NewOrder>): NewOrderInput {
  const { petId, quantity = 1, shipDate, complete = false, expiresAt, ...details } = body;
  const shipping = shipDate === undefined ? {} : { shipDate: readInstant(shipDate) };
  const expiring = expiresAt === undefined ? {} : { expiresAt: readInstant(expiresAt) };
  return { petId, quantity, complete, ...shipping, ...expiring, ...details };
}
