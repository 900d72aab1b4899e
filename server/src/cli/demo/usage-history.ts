import type { Transaction } from '../../datastore/datastore.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/durations.ts';
import type { DemoStaff } from './catalogue.ts';

/** How many minutes of requests to write. With the rush below, they stay within what plan Free admits in a day. */
const MINUTES_BACK = 60;
/** A rush that the limit of plan Free refuses in part: how many minutes ago, and its requests. */
const rush: ReadonlyMap<number, number> = new Map([
  [29, 44],
  [28, 80],
  [27, 68],
  [26, 57],
  [25, 46],
]);
const FREE_PER_MINUTE = 60;
/** Requests of a day by key and operation, when the store is busy. */
const dailyRequests: Readonly<Record<DemoStaff, Readonly<Record<string, number>>>> = {
  'web shop': { listPets: 420, listInventory: 140, placeOrder: 24, getOrder: 60 },
  warehouse: { listOrders: 60, updateOrder: 12, adjustInventory: 6, listMovements: 14 },
  counter: { listPets: 55, getPet: 18, placeOrder: 8 },
};

interface UsageInput {
  workspaceId: number;
  keyIds: Readonly<Record<DemoStaff, string>>;
  from: number;
  to: number;
  random: () => number;
}

/** Writes what the keys of the demo store have sent, so that its charts show something. */
export async function writeUsage(tx: Transaction, input: UsageInput): Promise<void> {
  const { workspaceId, keyIds, from, to, random } = input;
  const today = Math.floor(to / DAY_MS);
  let countedToday = 0;
  for (let day = Math.ceil(from / DAY_MS); day <= today; day += 1) {
    // Today is not over.
    const share = day === today ? (to % DAY_MS) / DAY_MS : 1;
    const isWeekend = [0, 6].includes(new Date(day * DAY_MS).getUTCDay());
    for (const [name, operations] of Object.entries(dailyRequests)) {
      const keyId = keyIds[name as DemoStaff];
      const lastAt = Math.min(day * DAY_MS + 18 * 60 * MINUTE_MS, to);
      for (const [operationId, busy] of Object.entries(operations)) {
        const admitted = Math.round(
          share * busy * (isWeekend ? 1.2 : 0.7) * (0.8 + 0.4 * random()),
        );
        const refused = operationId === 'listPets' && isWeekend ? Math.round(9 * random()) : 0;
        if (day === today) countedToday += admitted;
        const counts = { admitted, refused, failed: 0 };
        await tx.usage.addDay(workspaceId, { day, keyId, operationId, ...counts, lastAt });
      }
    }
  }
  const rushed = await writeMinutes(tx, input);
  // The minutes of today are part of the day: its report has no less than they have.
  const admitted = Math.max(0, rushed.admitted - countedToday);
  const counts = { admitted, refused: rushed.refused, failed: 0 };
  const usage = { day: today, keyId: keyIds['web shop'], operationId: 'listPets', lastAt: to };
  await tx.usage.addDay(workspaceId, { ...usage, ...counts });
}

/** Writes the requests of the last hour. Returns how many of them fall into today. */
async function writeMinutes(tx: Transaction, { workspaceId, from, to, random }: UsageInput) {
  const startOfToday = Math.floor(to / DAY_MS) * (DAY_MS / MINUTE_MS);
  const lastMinute = Math.floor(to / MINUTE_MS) - 1;
  const firstMinute = Math.max(lastMinute - MINUTES_BACK, Math.ceil(from / MINUTE_MS));
  const today = { admitted: 0, refused: 0 };
  for (let minute = firstMinute; minute <= lastMinute; minute += 1) {
    const usual = Math.round((9 + 4 * Math.sin(minute / 9)) * (0.8 + 0.4 * random()));
    const requests = rush.get(lastMinute - minute) ?? usual;
    const refused = Math.max(0, requests - FREE_PER_MINUTE);
    await tx.usage.addMinute(workspaceId, { minute, requests, refused });
    if (minute < startOfToday) continue;
    today.admitted += requests - refused;
    today.refused += refused;
  }
  return today;
}
