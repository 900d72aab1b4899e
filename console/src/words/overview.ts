import { count, number } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const overviewWords = wordsOf({
  placeOrder: 'Create order',
  lowStock: 'Low stock',
  lowStockNote: 'pets at their threshold or below',
  openOrders: 'Open orders',
  openOrdersNote: (units: number, today: number) =>
    today === 0
      ? `${count(units, 'unit')} reserved`
      : `${count(units, 'unit')} reserved, ${count(today, 'ships today', 'ship today')}`,
  openOrdersAtLeast: (units: number, today: number) =>
    today === 0
      ? `${number(units)}+ units reserved`
      : `${number(units)}+ units reserved, ${number(today)}+ ship today`,
  requestsToday: 'Requests today',
  requestsNote: 'in the usage history since 00:00 UTC',
  refused: 'Refused, last hour',
  refusedNone: 'no request was refused',
  refusedBy: (key: string) => `today mostly from ${key}`,
  refusedSome: 'by your plan’s limits',
  minutes: 'Requests per minute',
  minutesNote: 'All keys, last hour, against your plan’s limit',
  admitted: 'Admitted',
  refusedLegend: 'Refused',
  needsYou: 'Needs attention',
  nothing: 'All clear',
  nothingNote: 'No issues with stock, keys or limits.',
  allReserved: (pet: string) => `${pet}: all reserved`,
  allReservedNote: (quantity: number) =>
    `${number(quantity)} on hand, all reserved for open orders`,
  soldOut: (pet: string) => `${pet}: sold out`,
  soldOutNote: 'None on hand',
  low: (pet: string, available: number) => `${pet}: ${number(available)} left`,
  lowNote: (quantity: number, reserved: number) =>
    `${number(quantity)} on hand, ${number(reserved)} reserved for open orders`,
  restock: 'Restock',
  wereRefused: (refused: number) => `${count(refused, 'request was', 'requests were')} refused`,
  planFits: (plan: string) => `In the last 24 hours. ${plan} would have refused none`,
  planNote: 'In the last 24 hours',
  compare: 'Compare plans',
  keyEnds: (name: string, when: string) => `Key “${name}” expires ${when}`,
  keyUsed: (when: string) => `Used ${when}`,
  keyUnused: 'Never used',
  rotate: 'Rotate',
  deprecated: (key: string, operation: string) =>
    `Key “${key}” uses ${operation}, which is deprecated`,
  deprecatedNote: (calls: number, sunset: string) =>
    `${count(calls, 'call')} in 30 days. Switched off on ${sunset}`,
  how: 'What to do',
  sample: [
    'Fill with sample data',
    'The pets, stock and orders of a small shop, to look around in.',
    'Fill store',
  ] as const,
  sampleBegun: [
    'Sample data is incomplete',
    'Filling the store was interrupted.',
    'Continue',
  ] as const,
  ordersPerDay: 'Orders per day',
  ordersPerDayNote: (zone: string) => `Created, last 14 days, by ${zone} day`,
  ordersPerDayLabel: (zone: string, total: number) =>
    `Orders created per ${zone} day over 14 days: ${number(total)} in all.`,
  orders: 'Orders',
  orderCount: (orders: number) => count(orders, 'order'),
  latest: 'Latest stock changes',
  wholeLedger: 'View ledger',
  noMovements: 'No stock changes yet',
  noMovementsNote: 'Every stock change appears here, with its cause and who made it.',
  firstPet: 'Start with a category and a pet:',
  columns: { cause: 'What', pet: 'Pet', change: 'Change', who: 'Key', when: 'When' },
});

/** What a new store does first: what, why, and what the button says. */
export const checklistWords = wordsOf({
  title: 'Get started',
  done: '(done)',
  steps: {
    category: ['Add a category', 'Dogs, birds, fish: each pet belongs to one.', 'Add category'],
    pet: ['Add a pet', 'Or import many from a CSV file.', 'Add pet'],
    stock: ['Set its stock', 'A new pet starts with 1.', 'Set stock'],
    order: ['Create an order', 'It reserves units until they are handed over.', 'Create order'],
    key: ['Create a key for your web shop', 'Each program has its own.', 'Create key'],
    webhook: ['Add a webhook', 'It tells your web shop of every change.', 'Add webhook'],
  } as Record<
    'category' | 'pet' | 'stock' | 'order' | 'key' | 'webhook',
    readonly [title: string, why: string, action: string]
  >,
});

/** Filling an empty store. */
export const sampleWords = wordsOf({
  title: 'Fill with sample data',
  action: 'Fill store',
  text: 'Adds 4 categories, 16 pets and 6 orders, which you can edit or delete like any others.',
  costs: (requests: number) => `It takes ${count(requests, 'request')} of your plan.`,
  costsMore: (requests: number) =>
    `It was interrupted. The rest takes ${count(requests, 'request')} of your plan; nothing is added twice.`,
  left: (requests: number) => `${count(requests, 'request')} left this minute.`,
  progress: (done: number, all: number, isWaiting: boolean) =>
    `${number(done)} of ${count(all, 'request')} done${isWaiting ? ', waiting for the rate limit' : ''}`,
  leave: 'Stop here',
  goOn: 'Continue',
  done: 'The store is filled with sample data.',
});
