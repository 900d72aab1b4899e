import { describe, expect, it } from 'vitest';
import { repeats } from '../support/effort.ts';
import { gathering } from './crowd.ts';

const EACH = repeats({ usual: 200, thorough: 1_000 });
/** One row is locked for each of them in turn, which takes minutes beside eight busy loops. */
const HANGS_MS = 20 * 60_000;

describe('a crowd of dry runs', () => {
  const crowd = gathering();

  const name = `leaves one sale of the last unit to ${EACH} buyers beside ${EACH} dry runs`;
  it(name, { timeout: HANGS_MS }, async () => {
    const { shop } = crowd();
    const petId = await shop.addPet({ quantity: 1 });
    const guests = crowd().others();
    const buyers = Array.from({ length: EACH }, () => crowd().place(petId));
    const dryRuns = Array.from({ length: EACH }, () =>
      guests.call('POST', '/store/orders?dryRun=true', { petId }),
    );
    const sold = (await Promise.all(buyers)).filter(({ status }) => status === 201);
    const answers = new Set((await Promise.all(dryRuns)).map(({ status }) => status));
    guests.leave();
    expect(sold).toHaveLength(1);
    expect([...answers].filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const { item, orders, ledger } = await shop.stateOf(petId);
    expect(item).toMatchObject({ quantity: 1, reserved: 1, available: 0 });
    expect(orders.map(({ id }) => id)).toEqual([sold[0]!.body.id]);
    expect(ledger.map(({ cause }) => cause)).toEqual(['created', 'reserved']);
  });
});
