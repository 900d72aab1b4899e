// The last weeks of the demo store.

import { DAY_MS, HOUR_MS } from '../../domain/durations.ts';
import type { DemoPet, Note, Shop } from './shop.ts';
import type { Timeline } from './timeline.ts';

const WEEK_MS = 7 * DAY_MS;
const FIRST_PURCHASE_ORDER = 1024;
/** How many of all orders are bought at the counter, and how many of the others are cancelled. */
const COUNTER_SHARE = 0.35;
const CANCELLED_SHARE = 0.08;

const customers = [
  'Ada Lovelace',
  'Zoë Müller',
  'Grace Hopper',
  'José García',
  'Noor Haddad',
  'Emil Sørensen',
  'Priya Nair',
] as const;

interface Story {
  shop: Shop;
  timeline: Timeline;
  from: number;
  to: number;
  random: () => number;
}

/** How a pet looks today. Nothing happens to the pet after it, so it holds at any hour. */
interface Ending {
  at: number;
  run: () => Promise<void>;
  /** Without open orders, which keep stock until they are sent. */
  isAtCounterOnly?: boolean;
}

/** A story that ends for a pet when its ending begins. */
interface PetStory extends Story {
  plan: Timeline['plan'];
  isAtCounterOnly: boolean;
}

/** Plans everything that happens to the pets between `from` and `to`. */
export function planHistory(story: Story, pets: readonly DemoPet[]): void {
  const { timeline } = story;
  for (const [index, pet] of pets.entries()) {
    const ending = endingOf(story, pet, index);
    const endsAt = ending?.at ?? story.to;
    const plan: Timeline['plan'] = (at, run) => {
      if (at < endsAt) timeline.plan(at, run);
    };
    const ofPet = { ...story, plan, isAtCounterOnly: ending?.isAtCounterOnly ?? false };
    planDeliveries(ofPet, pet);
    planPurchases(ofPet, pet);
    planIncidents(ofPet, pet, index);
    if (ending) timeline.plan(ending.at, ending.run);
  }
}

/** One delivery on the first day, and one in each week in which a third is gone. */
function planDeliveries(story: PetStory, pet: DemoPet): void {
  const { shop, plan, from, to, random } = story;
  const noteOf = (week: number): Note => ({
    reason: 'Delivery',
    reference: `PO-${FIRST_PURCHASE_ORDER + week * 5 + pet.category}`,
  });
  plan(from + random() * 2 * HOUR_MS, () =>
    shop.adjust(pet, { ...noteOf(0), delta: pet.stock - 1 }),
  );
  const weekday = (pet.category + 1) * DAY_MS;
  for (let week = 1; from + week * WEEK_MS < to; week += 1) {
    plan(openingTime(from + (week - 1) * WEEK_MS + weekday, 0.1 * random()), async () => {
      const missing = pet.stock - (await shop.available(pet));
      if (missing > pet.stock / 3) await shop.adjust(pet, { ...noteOf(week), delta: missing });
    });
  }
}

function planPurchases(story: PetStory, pet: DemoPet): void {
  const { shop, plan, from, to, random } = story;
  const pauseMs = () => (WEEK_MS / pet.weeklyOrders) * (0.4 + 1.2 * random());
  for (let day = from + random() * 3 * DAY_MS; day < to; day += pauseMs()) {
    const quantity = 1 + Math.floor(random() * pet.perOrderMax);
    const isAtCounter = random() < COUNTER_SHARE || story.isAtCounterOnly;
    const at = openingTime(day, random());
    plan(at, async () => {
      if (isAtCounter) await shop.place(pet, { by: 'counter', quantity, isComplete: true });
      else await orderOnline(story, pet, quantity);
    });
  }
}

/** Sent some days later, now and then cancelled before. */
async function orderOnline(story: PetStory, pet: DemoPet, quantity: number): Promise<void> {
  const { shop, timeline, plan, random } = story;
  const { now } = timeline;
  const shipDate = startOfDay(now) + Math.ceil(random() * 5) * DAY_MS + 10 * HOUR_MS;
  const isCancelled = random() < CANCELLED_SHARE;
  const customer = customers[Math.floor(random() * customers.length)]!;
  const id = await shop.place(pet, { by: 'web shop', quantity, shipDate, customer });
  if (id === undefined) return;
  if (isCancelled) plan(now + 5 * HOUR_MS, () => shop.cancel(id));
  else timeline.plan(shipDate + random() * 6 * HOUR_MS, () => shop.fulfil(id));
}

/** What happens in every shop: a stocktake, a loss, a return. */
function planIncidents({ shop, plan, from, to }: PetStory, pet: DemoPet, index: number): void {
  if (index % 4 === 3) {
    const note = { reason: 'Stocktake', reference: 'Monthly count' };
    plan(openingTime((from + to) / 2, 0.9) + index * 60_000, async () => {
      if ((await shop.available(pet)) > 4) await shop.countOneLess(pet, note);
    });
  }
  if (index % 7 === 2) {
    const note = { reason: 'Damaged', reference: `DMG-${17 + index}`, delta: -1 };
    plan(openingTime(to - (3 + (index % 14)) * DAY_MS, 0.3), async () => {
      if ((await shop.available(pet)) > 1) await shop.adjust(pet, note);
    });
  }
  if (index % 9 === 5) {
    const note = { reason: 'Returned', reference: `RMA-${204 + index}`, delta: 1 };
    plan(openingTime(to - (4 + (index % 12)) * DAY_MS, 0.6), () =>
      shop.adjust(pet, { ...note, by: 'counter' }),
    );
  }
}

/** How the store looks today: some pets are nearly gone, some all reserved, one is sold out, one held back. */
function endingOf({ shop, to }: Story, pet: DemoPet, index: number): Ending | undefined {
  const hoursAgo = (hours: number) => to - (hours + (index % 6) / 7) * HOUR_MS;
  const orderAllBut = async (left: number) => {
    const quantity = (await shop.available(pet)) - left;
    const shipDate = startOfDay(to) + (1 + (index % 4)) * DAY_MS + 10 * HOUR_MS;
    const customer = customers[index % customers.length]!;
    if (quantity > 0) await shop.place(pet, { by: 'web shop', quantity, shipDate, customer });
  };
  const sellAll = async () => {
    const quantity = await shop.available(pet);
    await shop.place(pet, { by: 'counter', quantity, isComplete: true });
  };
  if (index % 20 === 6) return { at: hoursAgo(9), run: sellAll, isAtCounterOnly: true };
  if (index % 7 === 4 && pet.stock < 12) return { at: hoursAgo(7), run: () => orderAllBut(0) };
  if (index % 5 === 0 && index > 0) return { at: hoursAgo(5), run: () => orderAllBut(1) };
  return index % 20 === 17 ? { at: hoursAgo(2), run: () => shop.hold(pet) } : undefined;
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** A time of that day at which the store is open; `share` is 0 for the first and 1 for the last minute. */
function openingTime(day: number, share: number): number {
  return startOfDay(day) + 8 * HOUR_MS + share * 11 * HOUR_MS;
}
