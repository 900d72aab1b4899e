import { count, number } from '../ui/format.ts';
import { orderEnded, soldMeanwhile } from './errors.ts';
import { wordsOf } from './words-of.ts';

const unitsOf = (units: number) => count(units, 'unit');

export const orderWords = wordsOf({
  lead: 'Open orders reserve stock. Fulfilled orders have left the store.',
  place: 'Create order',
  all: 'All orders',
  state: 'State',
  show: 'Show',
  tabs: {
    open: 'Open',
    today: 'Due today',
    late: 'Late',
    complete: 'Fulfilled',
    cancelled: 'Cancelled',
    all: 'All',
  },
  states: { open: 'Open', fulfilled: 'Fulfilled' },
  search: 'Customer or reference',
  select: (title: string) => `Select ${title.replace('Order', 'order')}`,
  selectAll: 'Select all on this page',
  selected: (orders: number) => `${count(orders, 'order')} selected`,
  unselect: 'Clear selection',
  fulfilMany: (orders: number) => `Fulfil ${count(orders, 'order')}`,
  fulfilManyText: 'Their units leave stock. A fulfilled order cannot be changed or cancelled.',
  fulfilling: (done: number, all: number) => `${number(done)} of ${number(all)} …`,
  fulfilledMany: (orders: number) => `${count(orders, 'order')} fulfilled.`,
  notFulfilled: (id: number, why: string) => `Order ${id}: ${why}`,
  stoppedFulfilling: (left: number, why: string) =>
    `Stopped with ${count(left, 'order')} left. ${why}`,
  unknown: (id: number) => `The outcome of order ${id} is unknown.`,
  printPick: 'Print pick list',
  printSlips: 'Print packing slips',
  noneOpen: 'None of these is open.',
  allCancelled: 'All of these were cancelled.',
  pickTitle: 'Pick list',
  slipTitle: (title: string) => `Packing slip: ${title}`,
  /** The reference or the number of an order, and its customer. */
  pickOrder: (units: number, ...order: readonly (string | undefined)[]) =>
    `${number(units)} × ${order.filter(Boolean).join(', ')}`,
  pickOrders: 'Orders',
  ended: { cancelled: 'Cancelled', expired: 'Expired' },
  hasEnded: orderEnded,
  endedAt: 'Ended',
  endReason: 'Reason',
  late: 'Late',
  pet: 'Pet',
  petFilter: 'Pet',
  anyPet: 'Any pet',
  from: 'Ships from',
  to: 'to',
  columns: {
    order: 'Order',
    pet: 'Pet',
    customer: 'Customer',
    reference: 'Reference',
    units: 'Units',
    ships: 'Ships',
    state: 'State',
    do: 'Act',
  },
  listLabel: 'Orders',
  order: (id: number) => `Order ${id}`,
  ordersOf: (orders: number, reference: string) => `${count(orders, 'order')} of ${reference}`,
  someOpen: (open: number, all: number) =>
    open === 0 ? 'Ended' : `${number(open)} of ${number(all)} open`,
  placed: (ago: string) => `created ${ago}`,
  wasDue: (ago: string) => `was due ${ago}`,
  noDate: 'no date',
  onPage: (rows: number, areAll: boolean) =>
    areAll ? count(rows, 'order') : `${count(rows, 'order')} on this page`,
  noRows: {
    emptyTitle: 'No open orders',
    emptyText:
      'An order reserves units of a pet until it is fulfilled. Create one here, or from a terminal:',
    noMatchTitle: 'No orders found',
    noMatchText: 'No order matches these filters.',
  },
  searchAll: 'Search all orders',
  emptyStoreText:
    'There is nothing to order yet. A new pet starts with 1 in stock. Start with a category, a pet and an order:',
  toCatalogue: 'Go to catalogue',
  unitsOfPet: (units: number, name: string) => `${unitsOf(units)} of ${name}`,
  fulfil: 'Fulfil',
  change: 'Edit',
  cancel: 'Cancel order',
  goneTitle: (id: string) => `Order ${id} not found`,
  goneText: 'This store has no order with this number.',
  facts: 'Details',
  placedAt: 'Created',
  shipsAt: 'Ships',
  holdsUntil: 'Reserved until',
  endsAt: (when: string) => `reserved until ${when}`,
  isFree: 'no expiry',
  holdsNote: 'If the order is still open then, it is cancelled and its units become available.',
  unknownTime: 'not recorded',
  stock: 'Stock of this pet',
  toInventory: 'Open in inventory',
  petGone: 'This pet was deleted. Its stock and ledger are hidden; the order stays.',
});

export const orderHistoryWords = wordsOf({
  title: 'History',
  wholeLedger: 'Ledger of this pet',
  steps: {
    placed: 'Created',
    changed: 'Changed',
    fulfilled: 'Fulfilled',
    cancelled: 'Cancelled',
    expired: 'Expired',
  },
  fields: {
    quantity: 'units',
    shipDate: 'ship date',
    expiresAt: 'reserved until',
    reference: 'reference',
    customer: 'customer',
    note: 'note',
    metadata: 'metadata',
  } as Record<string, string>,
});

/** Dialogs that change an order. */
export const orderStepWords = wordsOf({
  fulfil: {
    title: (id: number) => `Fulfil order ${id}`,
    text: (units: number, name: string) =>
      `${unitsOf(units)} of ${name} ${units === 1 ? 'leaves' : 'leave'} stock. A fulfilled order cannot be changed or cancelled.`,
    button: 'Fulfil',
    yours: 'Fulfilled',
    done: (id: number, units: number, name: string) =>
      `Order ${id} fulfilled. ${unitsOf(units)} of ${name} left stock.`,
  },
  cancel: {
    title: (id: number) => `Cancel order ${id}`,
    text: (units: number, name: string) =>
      `${unitsOf(units)} of ${name} ${units === 1 ? 'becomes' : 'become'} available again. This cannot be undone.`,
    button: 'Cancel order',
    yours: 'Cancelled',
    done: (id: number, units: number, name: string) =>
      `Order ${id} cancelled. ${unitsOf(units)} of ${name} available again.`,
  },
  keep: 'Keep order',
  changeTitle: (id: number) => `Edit order ${id}`,
  changeButton: 'Save',
  changed: (id: number) => `Order ${id} saved.`,
  onlyMore: (available: number) =>
    `Only ${count(available, 'more unit is', 'more units are')} available.`,
});

/** Removing the customer of an order that has ended. */
export const removeCustomerWords = wordsOf({
  title: (id: number) => `Remove customer of order ${id}`,
  text: (customer: string) =>
    `The name “${customer}” is removed from this order. The order stays. This cannot be undone.`,
  button: 'Remove customer',
  done: (id: number) => `Order ${id}: customer removed.`,
});

/** The fields of an order. */
export const orderFieldWords = wordsOf({
  units: 'Units',
  fewer: 'One fewer',
  oneMore: 'One more',
  needsUnits: 'Enter a whole number, 1 or more.',
  customer: 'Customer',
  reference: 'Reference',
  ownReferenceHint: (reference: string) =>
    `Leave empty to use ${reference}. It keeps the pets of this order together.`,
  note: 'Note',
  ships: 'Ship date',
  shipsHint: 'Your local time. After this, the order is marked as late.',
  holds: 'Reserved until',
  holdsHint:
    'If the order is still open then, it is cancelled. At most 30 days from now; leave empty to never expire.',
  holdsPast: 'Choose a time in the next 30 days.',
});

/** Placing an order. */
export const newOrderWords = wordsOf({
  lead: 'Reserves units of a pet for a customer until they are handed over.',
  line: (place: number) => `Line ${number(place)}`,
  petOf: (place: number) => (place === 0 ? 'Pet' : `Pet ${number(place + 1)}`),
  unitsOf: (place: number) => (place === 0 ? 'Units' : `Units ${number(place + 1)}`),
  addLine: 'Add pet',
  removeLine: (place: number) => `Remove line ${number(place)}`,
  noMoreLines: (lines: number) => `An order has at most ${number(lines)} lines.`,
  nextRelease: (units: number, when: string) =>
    `An open order reserves ${unitsOf(units)} until ${when}. After that ${units === 1 ? 'it is' : 'they are'} available, unless the order was fulfilled.`,
  noRelease: 'None of its open orders expires. Wait for a delivery or cancel one.',
  petPlaceholder: 'Name or reference',
  petNote: (available: number) => `${number(available)} available`,
  needsPet: 'Select a pet from the list.',
  matches: (pets: number) => `${count(pets, 'pet')} found`,
  noMatch: (text: string) => `No pet found for “${text}”.`,
  onlyLeft: (available: number) =>
    available === 0 ? 'None available.' : `Only ${unitsOf(available)} available.`,
  soldMeanwhile,
  onHold: 'This pet is on hold and cannot be ordered. Remove the hold in Inventory first.',
  complete: 'Already handed over',
  completeHint: 'The units leave stock immediately and the order is fulfilled.',
  choosePet: 'Select a pet to see the effect on its stock.',
  submit: 'Create order',
  placed: (id: number, units: number, name: string) =>
    `Order ${id} created: ${unitsOf(units)} of ${name}.`,
  placedMany: (pets: number, reference: string) =>
    `Order ${reference} created: ${count(pets, 'pet')}.`,
  rehearsedMany: (orders: number) =>
    `This would work: an order of ${count(orders, 'pet')}. Nothing was changed yet.`,
  rehearsed: (units: number, name: string) =>
    `This would work: ${unitsOf(units)} of ${name}. Nothing was changed yet.`,
});
