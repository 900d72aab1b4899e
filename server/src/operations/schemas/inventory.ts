import { movementCauses } from '../../domain/inventory.ts';
import { STOCK_MAX } from '../../domain/stock.ts';
import {
  clearableText,
  count,
  id,
  instant,
  object,
  openChoice,
  PetStatus,
  text,
} from './fields.ts';
import { Type } from './type.ts';

const NOTE_MAX = 200;

export const InventoryItem = object('InventoryItem', {
  petId: id('ID of the animal the entry tracks.'),
  quantity: count('Current stock count.', 0, STOCK_MAX),
  reserved: count('Units in open orders.', 0, STOCK_MAX),
  available: count('Units that can be ordered: `quantity` minus `reserved`.', 0, STOCK_MAX),
  status: PetStatus,
});

export const InventoryUpdate = object('InventoryUpdate', {
  quantity: count('The new stock count.', 0, STOCK_MAX),
  reason: Type.Optional(clearableText('Why it changes, for the ledger.', NOTE_MAX)),
  reference: Type.Optional(clearableText('What it refers to, for the ledger.', NOTE_MAX)),
});

export const Adjustment = object('Adjustment', {
  delta: Type.Unsafe<number>({
    type: 'integer',
    minimum: -STOCK_MAX,
    maximum: STOCK_MAX,
    not: { enum: [0] },
    description: 'Units to add (positive) or to remove (negative); not 0.',
  }),
  reason: text('Why it changes, for the ledger.', NOTE_MAX, 1),
  reference: Type.Optional(text('What it refers to, for the ledger.', NOTE_MAX)),
});

export const Reversal = object('Reversal', {
  reason: Type.Optional(text('Why it is taken back, for the ledger.', NOTE_MAX)),
});

export const Movement = object('Movement', {
  id: id('Unique identifier; later rows have higher ones.'),
  petId: id('ID of the animal whose stock changed.'),
  cause: openChoice(movementCauses, 'What kind of change it was.'),
  quantityBefore: count('Stock count before.', 0, STOCK_MAX),
  quantityAfter: count('Stock count after.', 0, STOCK_MAX),
  reservedBefore: count('Units in open orders before.', 0, STOCK_MAX),
  reservedAfter: count('Units in open orders after.', 0, STOCK_MAX),
  orderId: Type.Optional(id('The order that caused it.')),
  reason: Type.Optional(text('Why it changed.', NOTE_MAX)),
  reference: Type.Optional(text('What it refers to.', NOTE_MAX)),
  keyId: Type.Optional(Type.String({ description: 'The API key that made the change.' })),
  at: instant('When it changed.'),
  reverses: Type.Optional(id('The row of the ledger that this one takes back.')),
  reversedBy: Type.Optional(id('The row of the ledger that takes this one back.')),
});

export const exampleItem = {
  petId: 1,
  quantity: 5,
  reserved: 2,
  available: 3,
  status: 'available',
};

export const exampleMovement = {
  id: 7,
  petId: 1,
  cause: 'adjusted',
  quantityBefore: 3,
  quantityAfter: 5,
  reservedBefore: 2,
  reservedAfter: 2,
  reason: 'delivery',
  reference: 'PO-1024',
  keyId: '3ZrHIxYjJZft',
  at: '2026-11-15T09:30:00Z',
};

export const exampleReversal = {
  id: 9,
  petId: 1,
  cause: 'adjusted',
  quantityBefore: 4,
  quantityAfter: 2,
  reservedBefore: 2,
  reservedAfter: 2,
  reason: 'typing error',
  keyId: '3ZrHIxYjJZft',
  at: '2026-11-15T10:00:00Z',
  reverses: 7,
};
