import type { Order } from '@petstore/client';
import type { Tone } from '../../ui/badge.tsx';
import { orderWords as words } from '../../words/orders.ts';
import { badgeOf } from './query.ts';

/**
 * Orders that share a reference are one order of several pets, unless they are for different customers: two may use the
 * same number. An order without a reference stands for itself.
 */
export type OrderGroup = readonly [Order, ...Order[]];

/** The groups, each at the place of its first order. */
export function groupsOf(orders: readonly Order[]): OrderGroup[] {
  const groups = Map.groupBy(orders, ({ id, reference, customer }) =>
    JSON.stringify(reference === undefined ? id : [reference, customer]),
  );
  const byId = (group: Order[]) => group.toSorted((a, b) => a.id - b.id);
  return [...groups.values()].map(byId) as unknown as OrderGroup[];
}

/** "Order 7", or "3 orders of W-1042". */
export function titleOf(group: OrderGroup): string {
  const [{ id, reference }] = group;
  return group.length === 1 ? words.order(id) : words.ordersOf(group.length, reference!);
}

export const unitsOf = (group: readonly Order[]) =>
  group.reduce((sum, { quantity }) => sum + quantity, 0);

/** What was ordered: a pet, or the units of each. */
export function petsOf(group: OrderGroup, nameOf: (petId: number) => string): string {
  if (group.length === 1) return nameOf(group[0].petId);
  return group.map(({ petId, quantity }) => words.pickOrder(quantity, nameOf(petId))).join(', ');
}

/** The state of all, or how many are still open. */
export function badgeOfGroup(group: OrderGroup, now: number): readonly [tone: Tone, text: string] {
  const [first, ...others] = group.map((order) => badgeOf(order, now));
  if (others.every(([, text]) => text === first![1])) return first!;
  const late = group.map((order) => badgeOf(order, now)).find(([tone]) => tone === 'bad');
  const open = group.filter(({ state }) => state === 'open').length;
  return late ?? [open > 0 ? 'warn' : 'neutral', words.someOpen(open, group.length)];
}

/** The order of the group that ships first. */
export function firstToShip(group: OrderGroup): Order {
  const open = group.filter(({ state }) => state === 'open');
  const [first] = (open.length > 0 ? open : [...group])
    .filter(({ shipDate }) => shipDate !== undefined)
    .sort((a, b) => Date.parse(a.shipDate!) - Date.parse(b.shipDate!));
  return first ?? group[0];
}
