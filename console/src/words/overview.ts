import { count, number } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const overviewWords = wordsOf({
  placeOrder: 'Place an order',
  lowStock: 'Low stock',
  lowStockNote: (most: number) => `pets with ${number(most)} or fewer available`,
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
  requestsNote: 'of all keys, since 00:00 UTC',
  refused: 'Refused, last hour',
  refusedNone: 'every request was admitted',
  refusedBy: (key: string) => `today mostly of key ${key}`,
  refusedSome: 'by the limits of the plan',
  minutes: 'Requests per minute',
  minutesNote: 'All keys, last hour, against the limit of the plan',
  admitted: 'Admitted',
  refusedLegend: 'Refused',
  needsYou: 'Needs you',
  nothing: 'Nothing needs you',
  nothingNote: 'Stock, keys and limits are in order.',
  allReserved: (pet: string) => `${pet} is all reserved`,
  allReservedNote: (quantity: number) =>
    `${number(quantity)} on hand, ${number(quantity)} in open orders`,
  soldOut: (pet: string) => `${pet} is sold out`,
  soldOutNote: 'None on hand',
  low: (pet: string, available: number) => `${pet} is low: ${number(available)} available`,
  lowNote: (quantity: number, reserved: number) =>
    `${number(quantity)} on hand, ${number(reserved)} in open orders`,
  restock: 'Restock',
  wereRefused: (refused: number) => `${count(refused, 'request was', 'requests were')} refused`,
  planFits: (plan: string) => `${plan} would have refused none, over 24 hours`,
  planNote: 'Over the last 24 hours',
  compare: 'Compare',
  keyEnds: (name: string, when: string) => `Key “${name}” ends ${when}`,
  keyUsed: (when: string) => `Used ${when}`,
  keyUnused: 'Never used',
  rotate: 'Rotate',
  deprecated: (key: string, operation: string) => `Key “${key}” calls ${operation}`,
  deprecatedNote: (calls: number, sunset: string) =>
    `${count(calls, 'time')} in 30 days; off on ${sunset}`,
  how: 'How',
  ordersPerDay: 'Orders per day',
  ordersPerDayNote: 'Placed, last 14 days, by UTC day',
  ordersPerDayLabel: (total: number) =>
    `Orders placed per UTC day over 14 days: ${number(total)} in all.`,
  orders: 'Orders',
  orderCount: (orders: number) => count(orders, 'order'),
  latest: 'Latest movements',
  wholeLedger: 'Whole ledger',
  noMovements: 'Nothing has moved yet',
  noMovementsNote: 'Every change of stock appears here, with its cause and its key.',
  firstPet: 'Start with a category and a pet:',
  columns: { cause: 'What', pet: 'Pet', change: 'Change', who: 'Key', when: 'When' },
});
