import { count, number } from '../ui/format.ts';
import { soldMeanwhile } from './errors.ts';
import { wordsOf } from './words-of.ts';

const unitsOf = (units: number) => count(units, 'unit');

export const orderWords = wordsOf({
  lead: 'What was sold: open orders hold units, fulfilled ones have left the store.',
  place: 'Place an order',
  all: 'All orders',
  state: 'State',
  states: { open: 'Open', fulfilled: 'Fulfilled', all: 'All' },
  late: 'Late',
  pet: 'Pet',
  petFilter: 'Pet, by the beginning of its name',
  anyPet: 'Pet begins with …',
  from: 'Ships from',
  to: 'to',
  columns: {
    order: 'Order',
    pet: 'Pet',
    units: 'Units',
    ships: 'Ships',
    state: 'State',
    do: 'Act',
  },
  listLabel: 'Orders',
  order: (id: number) => `Order ${id}`,
  placed: (ago: string) => `placed ${ago}`,
  wasDue: (ago: string) => `was due ${ago}`,
  noDate: 'no date',
  onPage: (rows: number) => `${count(rows, 'order')} on this page`,
  noRows: {
    emptyTitle: 'No open orders',
    emptyText:
      'An order holds units of a pet until it is fulfilled. Place one here, or from a terminal:',
    noMatchTitle: 'No order matches',
    noMatchText: 'No order fits all of these filters.',
  },
  emptyStoreText:
    'No pet can be ordered yet. A new pet has a stock of 1. Begin with a category, a pet and its order:',
  toCatalogue: 'Go to the catalogue',
  unitsOfPet: (units: number, name: string) => `${unitsOf(units)} of ${name}`,
  fulfil: 'Fulfil',
  fulfilOf: (id: number) => `Fulfil order ${id}`,
  change: 'Change',
  changeOf: (id: number) => `Change order ${id}`,
  cancel: 'Cancel order',
  goneTitle: (id: string) => `There is no order ${id}`,
  goneText:
    'It was cancelled, or the number is mistyped. Cancelled orders are not kept; the ledger still shows what they did to stock.',
  facts: 'The order',
  placedAt: 'Placed',
  shipsAt: 'Ships',
  holdsUntil: 'Holds until',
  endsAt: (when: string) => `held until ${when}`,
  isFree: 'no end',
  holdsNote: 'If it is still open then, the service cancels it and its units can be sold again.',
  unknownTime: 'not recorded',
  ledger: 'What it did to stock',
  ledgerNote: 'The rows of the ledger that name this order',
  noLedger: (rows: number) =>
    `None of the latest ${number(rows)} movements of this pet names this order.`,
  noLedgerYet: 'No movement names this order.',
  wholeLedger: 'Ledger of this pet',
  stock: 'Stock of the pet',
  toInventory: 'Open in inventory',
  petGone:
    'This pet was deleted, so its stock and its ledger are hidden. The order stays readable.',
  isComplete: 'A fulfilled order never changes.',
  onHand: 'On hand',
  reserved: 'Reserved',
  available: 'Available',
  effect: 'What it does to stock',
});

/** Dialogs that change an order. */
export const orderStepWords = wordsOf({
  fulfil: {
    title: (id: number) => `Fulfil order ${id}`,
    text: (units: number, name: string) =>
      `${unitsOf(units)} of ${name} ${units === 1 ? 'leaves' : 'leave'} the stock. A fulfilled order cannot be changed or cancelled.`,
    button: 'Fulfil',
    yours: 'Fulfilled',
    done: (id: number, units: number, name: string) =>
      `Order ${id} is fulfilled: ${unitsOf(units)} of ${name} left the stock.`,
    rehearsed: 'It would work: the order would be fulfilled as shown above. Nothing was changed.',
  },
  cancel: {
    title: (id: number) => `Cancel order ${id}`,
    text: (units: number, name: string) =>
      `${unitsOf(units)} of ${name} can be sold again. A cancelled order is gone and cannot be brought back.`,
    button: 'Cancel the order',
    yours: 'Cancelled',
    done: (id: number, units: number, name: string) =>
      `Order ${id} is cancelled: ${unitsOf(units)} of ${name} can be sold again.`,
    rehearsed: 'It would work: the order would be cancelled as shown above. Nothing was changed.',
  },
  keep: 'Keep it',
  changeTitle: (id: number) => `Change order ${id}`,
  changeButton: 'Save the change',
  changed: (id: number) => `Order ${id} is changed.`,
  changeRehearsed: 'It would work: the order would be changed as shown above. Nothing was changed.',
  units: 'Units',
  ships: 'Ship date',
  shipsHint: 'Your local time. Empty: no date.',
  needsUnits: 'Give a whole number of 1 or more.',
  onlyMore: (available: number) =>
    `Only ${count(available, 'more unit')} can be sold, so the order cannot be that large.`,
  holds: 'Holds until',
  holdsHint: 'The order is cancelled at this time if it is still open. Empty: it never is.',
});

/** Placing an order. */
export const newOrderWords = wordsOf({
  lead: 'Holds units of a pet for a buyer until they are handed over.',
  pet: 'Pet',
  petPlaceholder: 'Type the beginning of its name',
  petNote: (status: string, id: number) => `${status} · ${id}`,
  needsPet: 'Choose a pet from the list.',
  matches: (pets: number) => `${count(pets, 'pet')} to choose from`,
  searching: 'Searching …',
  noMatch: (text: string) => `No pet begins with “${text}”.`,
  units: 'Units',
  fewer: 'One fewer',
  oneMore: 'One more',
  needsUnits: 'Give a whole number of 1 or more.',
  onlyLeft: (available: number) =>
    available === 0 ? 'None can be sold now.' : `Only ${unitsOf(available)} can be sold.`,
  soldMeanwhile,
  onHold: 'This pet is on hold and cannot be ordered. Lift the hold in the inventory first.',
  ships: 'Ship date',
  shipsHint: 'Your local time. The order is marked as late after it.',
  holds: 'Holds until',
  holdsHint: 'The order is cancelled at this time if it is still open. At most 30 days from now.',
  holdsPast: 'Give a time that is later than now and within 30 days.',
  complete: 'Already handed over',
  completeHint: 'The units leave the stock at once, and the order is fulfilled.',
  choosePet: 'Choose a pet to see what the order does to its stock.',
  submit: 'Place the order',
  placed: (id: number, units: number, name: string) =>
    `Order ${id} is placed: ${unitsOf(units)} of ${name}.`,
  rehearsed: (units: number, name: string) =>
    `It would work: ${unitsOf(units)} of ${name}, as shown above. Nothing was changed.`,
});
