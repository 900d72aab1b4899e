// The rule of stock, status and orders as rows: the given state, the request, and the expected outcome.

import type { Answer } from '../support/app.ts';
import type { Counts, Shop } from './shop.ts';

export interface Given {
  quantity: number;
  held?: boolean;
  /** Quantities of the open orders. */
  open?: number[];
  /** The quantity of a complete order, in addition to `quantity`. */
  complete?: number;
}

export type Act = (shop: Shop, pet: number, orders: number[]) => Promise<Answer>;
export type Shown = [quantity: number, reserved: number, status: string];
type Row<Outcome extends unknown[]> = [rule: string, given: Given, act: Act, ...Outcome];

export const status =
  (to: string | null): Act =>
  (shop, pet) =>
    shop.send('PATCH', `/pets/${pet}`, { status: to });
export const set =
  (quantity: number): Act =>
  (shop, pet) =>
    shop.send('PATCH', `/inventory/${pet}`, { quantity });
export const adjust =
  (delta: number): Act =>
  (shop, pet) =>
    shop.send('POST', `/inventory/${pet}/adjustments`, { delta, reason: 'test' });
export const place =
  (quantity: number, complete = false): Act =>
  (shop, petId) =>
    shop.send('POST', '/store/orders', { petId, quantity, complete });
export const patch =
  (body: object): Act =>
  (shop, _, [order]) =>
    shop.send('PATCH', `/store/orders/${order}`, body);
export const cancel: Act = (shop, _, [order]) => shop.call('DELETE', `/store/orders/${order}`);
export const remove: Act = (shop, pet) => shop.call('DELETE', `/pets/${pet}`);

export const allowed: Row<[after: Shown, ledger: Counts[]]>[] = [
  ['puts an available pet on hold', { quantity: 2 }, status('pending'), [2, 0, 'pending'], []],
  [
    'puts a pet with open orders on hold',
    { quantity: 2, open: [1] },
    status('pending'),
    [2, 1, 'pending'],
    [],
  ],
  [
    'lifts the hold of a pet of which something is available',
    { quantity: 2, held: true, open: [1] },
    status('available'),
    [2, 1, 'available'],
    [],
  ],
  [
    'sells a pet without open orders out',
    { quantity: 7 },
    status('sold'),
    [0, 0, 'sold'],
    [['sold', [7, 0], [0, 0]]],
  ],
  [
    'sells a held pet out',
    { quantity: 1, held: true },
    status('sold'),
    [0, 0, 'sold'],
    [['sold', [1, 0], [0, 0]]],
  ],
  ['lets available be available', { quantity: 1 }, status('available'), [1, 0, 'available'], []],
  [
    'lets pending be pending',
    { quantity: 1, held: true },
    status('pending'),
    [1, 0, 'pending'],
    [],
  ],
  [
    'lets a fully reserved pet be pending',
    { quantity: 2, open: [2] },
    status('pending'),
    [2, 2, 'pending'],
    [],
  ],
  ['lets sold be sold', { quantity: 0 }, status('sold'), [0, 0, 'sold'], []],
  ['leaves the derived status by null', { quantity: 1 }, status(null), [1, 0, 'available'], []],
  ['sets stock up', { quantity: 1 }, set(9), [9, 0, 'available'], [['set', [1, 9], [0, 0]]]],
  [
    'sets stock down to what is reserved',
    { quantity: 9, open: [2, 3] },
    set(5),
    [5, 5, 'pending'],
    [['set', [9, 5], [5, 5]]],
  ],
  ['sets stock to nothing', { quantity: 9 }, set(0), [0, 0, 'sold'], [['set', [9, 0], [0, 0]]]],
  ['sets stock to what it is', { quantity: 9 }, set(9), [9, 0, 'available'], []],
  [
    'restocks a pet that was sold, held as it was',
    { quantity: 0, held: true },
    set(3),
    [3, 0, 'pending'],
    [['set', [0, 3], [0, 0]]],
  ],
  [
    'adjusts stock up',
    { quantity: 0 },
    adjust(2),
    [2, 0, 'available'],
    [['adjusted', [0, 2], [0, 0]]],
  ],
  [
    'adjusts stock down to what is reserved',
    { quantity: 9, open: [4] },
    adjust(-5),
    [4, 4, 'pending'],
    [['adjusted', [9, 4], [4, 4]]],
  ],
  [
    'reserves units',
    { quantity: 5, open: [1] },
    place(3),
    [5, 4, 'available'],
    [['reserved', [5, 5], [1, 4]]],
  ],
  [
    'reserves the last units',
    { quantity: 5, open: [1] },
    place(4),
    [5, 5, 'pending'],
    [['reserved', [5, 5], [1, 5]]],
  ],
  [
    'fulfils at once, beside open orders',
    { quantity: 5, open: [1] },
    place(3, true),
    [2, 1, 'available'],
    [['fulfilled', [5, 2], [1, 1]]],
  ],
  [
    'fulfils the last unit at once',
    { quantity: 1 },
    place(1, true),
    [0, 0, 'sold'],
    [['fulfilled', [1, 0], [0, 0]]],
  ],
  [
    'raises an order by all that is available',
    { quantity: 5, open: [2] },
    patch({ quantity: 5 }),
    [5, 5, 'pending'],
    [['reserved', [5, 5], [2, 5]]],
  ],
  [
    'lowers an order',
    { quantity: 5, open: [5] },
    patch({ quantity: 1 }),
    [5, 1, 'available'],
    [['released', [5, 5], [5, 1]]],
  ],
  [
    'raises an order of a held pet',
    { quantity: 5, held: true, open: [2] },
    patch({ quantity: 4 }),
    [5, 4, 'pending'],
    [['reserved', [5, 5], [2, 4]]],
  ],
  [
    'keeps an order as it is',
    { quantity: 5, open: [2] },
    patch({ quantity: 2 }),
    [5, 2, 'available'],
    [],
  ],
  [
    'completes an order',
    { quantity: 5, open: [2, 1] },
    patch({ complete: true }),
    [3, 1, 'available'],
    [['fulfilled', [5, 3], [3, 1]]],
  ],
  [
    'completes the order of all there is',
    { quantity: 2, open: [2] },
    patch({ complete: true }),
    [0, 0, 'sold'],
    [['fulfilled', [2, 0], [2, 0]]],
  ],
  [
    'completes an order of a held pet',
    { quantity: 5, held: true, open: [2] },
    patch({ complete: true }),
    [3, 0, 'pending'],
    [['fulfilled', [5, 3], [2, 0]]],
  ],
  [
    'raises and completes an order in two rows',
    { quantity: 5, open: [2] },
    patch({ quantity: 4, complete: true }),
    [1, 0, 'available'],
    [
      ['reserved', [5, 5], [2, 4]],
      ['fulfilled', [5, 1], [4, 0]],
    ],
  ],
  [
    'lowers and completes an order in two rows',
    { quantity: 5, open: [4] },
    patch({ quantity: 1, complete: true }),
    [4, 0, 'available'],
    [
      ['released', [5, 5], [4, 1]],
      ['fulfilled', [5, 4], [1, 0]],
    ],
  ],
  [
    'cancels an order',
    { quantity: 5, open: [2, 3] },
    cancel,
    [5, 3, 'available'],
    [['released', [5, 5], [5, 3]]],
  ],
];

export const refused: Row<[code: string, details: object | undefined]>[] = [
  ['pending when sold', { quantity: 0 }, status('pending'), 'invalid_status_change', {}],
  ['available when sold', { quantity: 0 }, status('available'), 'invalid_status_change', {}],
  [
    'available when sold and held',
    { quantity: 0, held: true },
    status('available'),
    'invalid_status_change',
    {},
  ],
  [
    'available when all is reserved',
    { quantity: 2, open: [2] },
    status('available'),
    'invalid_status_change',
    {},
  ],
  [
    'available when held and all is reserved',
    { quantity: 2, held: true, open: [2] },
    status('available'),
    'invalid_status_change',
    {},
  ],
  ['sold with open orders', { quantity: 2, open: [1] }, status('sold'), 'pet_has_open_orders', {}],
  [
    'a count below reserved',
    { quantity: 5, open: [2, 1] },
    set(2),
    'below_reserved',
    { reserved: 3 },
  ],
  ['a count of 0 with an order', { quantity: 1, open: [1] }, set(0), 'below_reserved', {}],
  [
    'an adjustment below reserved',
    { quantity: 5, open: [2, 1] },
    adjust(-3),
    'below_reserved',
    { reserved: 3 },
  ],
  ['an adjustment below 0', { quantity: 5 }, adjust(-6), 'below_reserved', { reserved: 0 }],
  ['an order of a held pet', { quantity: 5, held: true }, place(1), 'pet_on_hold', undefined],
  [
    'an order of a held pet at once',
    { quantity: 5, held: true },
    place(1, true),
    'pet_on_hold',
    undefined,
  ],
  [
    'an order above the stock of a held pet, for the hold first',
    { quantity: 5, held: true },
    place(6),
    'pet_on_hold',
    undefined,
  ],
  [
    'an order of a held pet that is sold, for the hold first',
    { quantity: 0, held: true },
    place(1),
    'pet_on_hold',
    undefined,
  ],
  [
    'an order above what is available',
    { quantity: 5, open: [3] },
    place(3),
    'insufficient_stock',
    { available: 2 },
  ],
  [
    'an order at once above what is available',
    { quantity: 5, open: [3] },
    place(3, true),
    'insufficient_stock',
    { available: 2 },
  ],
  ['an order of a sold pet', { quantity: 0 }, place(1), 'insufficient_stock', { available: 0 }],
  [
    'a raise above what is available',
    { quantity: 5, open: [2, 1] },
    patch({ quantity: 5 }),
    'insufficient_stock',
    { available: 2 },
  ],
  [
    'a raise above what is available with its completion',
    { quantity: 5, open: [2, 1] },
    patch({ quantity: 5, complete: true }),
    'insufficient_stock',
    { available: 2 },
  ],
  [
    'the completion of a complete order',
    { quantity: 5, complete: 2 },
    patch({ complete: true }),
    'order_complete',
    undefined,
  ],
  [
    'the way back from complete',
    { quantity: 5, complete: 2 },
    patch({ complete: false }),
    'order_complete',
    undefined,
  ],
  [
    'another quantity of a complete order',
    { quantity: 5, complete: 2 },
    patch({ quantity: 1 }),
    'order_complete',
    undefined,
  ],
  [
    'cancelling a complete order',
    { quantity: 5, complete: 2 },
    cancel,
    'order_complete',
    undefined,
  ],
  [
    'deleting a pet with open orders',
    { quantity: 2, open: [1] },
    remove,
    'pet_has_open_orders',
    { reserved: 1 },
  ],
];
