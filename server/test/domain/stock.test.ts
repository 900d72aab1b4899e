import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { Refusal } from '../../src/domain/errors.ts';
import {
  adjustQuantity,
  availableOf,
  changeReservation,
  changeStatus,
  fulfil,
  openingStock,
  petStatuses,
  reserve,
  STOCK_MAX,
  type Stock,
  setQuantity,
  statusOf,
} from '../../src/domain/stock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const anyStock: fc.Arbitrary<Stock> = fc.oneof(fc.nat(5), fc.nat(STOCK_MAX)).chain((quantity) =>
  fc.record({
    quantity: fc.constant(quantity),
    reserved: fc.nat(quantity),
    held: fc.boolean(),
  }),
);

const pet = (stock: Stock) => ({ id: 7, stock });

/** The stock after a change, or the code of the refusal. The frozen input proves that it is not modified. */
function attempt(change: () => Stock): Stock | string {
  try {
    return change();
  } catch (err) {
    if (err instanceof Refusal) return err.code;
    throw err;
  }
}

describe('the status of a stock', () => {
  it('is sold at 0, pending when held or all reserved, else available', () => {
    const seen = (quantity: number, reserved: number, held: boolean) =>
      statusOf({ quantity, reserved, held });
    expect([seen(0, 0, false), seen(0, 0, true)]).toEqual(['sold', 'sold']);
    expect([seen(2, 2, false), seen(2, 1, true), seen(2, 2, true)]).toEqual(
      Array(3).fill('pending'),
    );
    expect([seen(2, 1, false), seen(1, 0, false)]).toEqual(['available', 'available']);
  });

  it.each(petStatuses)('of a pet created as %s is that', (status) => {
    const stock = openingStock(status);
    expect(statusOf(stock)).toBe(status);
    expect(stock.reserved).toBe(0);
  });
});

describe('a change of stock', () => {
  const anyChange = fc.oneof(
    fc.constantFrom(...petStatuses).map((to) => (stock: Stock) => changeStatus(pet(stock), to)),
    fc.nat(STOCK_MAX).map((quantity) => (stock: Stock) => setQuantity(pet(stock), quantity)),
    fc.nat(8).map((quantity) => (stock: Stock) => setQuantity(pet(stock), quantity)),
    fc
      .integer({ min: -STOCK_MAX, max: STOCK_MAX })
      .map((delta) => (stock: Stock) => adjustQuantity(pet(stock), delta)),
    fc.integer({ min: 1, max: 8 }).map((units) => (stock: Stock) => reserve(pet(stock), units)),
  );

  it('keeps 0 <= reserved <= quantity <= STOCK_MAX, or is refused and changes nothing', () => {
    const property = fc.property(anyStock, anyChange, (stock, change) => {
      const before = Object.freeze({ ...stock });
      const after = attempt(() => change(before));
      if (typeof after === 'string') return;
      expect(after.reserved).toBeGreaterThanOrEqual(0);
      expect(after.reserved).toBeLessThanOrEqual(after.quantity);
      expect(after.quantity).toBeLessThanOrEqual(STOCK_MAX);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('keeps reserved the sum of the open orders through any history', () => {
    const step = fc.record({
      kind: fc.constantFrom('place', 'resize', 'fulfil', 'cancel', 'set', 'hold', 'lift'),
      units: fc.integer({ min: 1, max: 6 }),
      which: fc.nat(),
    });
    const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let stock = openingStock('available');
      const open: number[] = [];
      for (const { kind, units, which } of steps) {
        const at = which % Math.max(1, open.length);
        const mine = open[at];
        const before = Object.freeze(stock);
        const after = attempt(() => {
          if (kind === 'place') return reserve(pet(before), units);
          if (kind === 'set') return setQuantity(pet(before), units * 2);
          if (kind === 'hold') return changeStatus(pet(before), 'pending');
          if (kind === 'lift') return changeStatus(pet(before), 'available');
          if (mine === undefined) return before;
          if (kind === 'resize') return changeReservation(pet(before), units - mine);
          return kind === 'fulfil' ? fulfil(before, mine) : changeReservation(pet(before), -mine);
        });
        if (typeof after === 'string') continue;
        stock = after;
        if (kind === 'place') open.push(units);
        if (kind === 'resize' && mine !== undefined) open[at] = units;
        if (kind === 'fulfil' || kind === 'cancel') open.splice(at, 1);
        expect(stock.reserved).toBe(open.reduce((sum, quantity) => sum + quantity, 0));
        expect(stock.reserved).toBeLessThanOrEqual(stock.quantity);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('changes the status to exactly what was asked, or refuses', () => {
    const property = fc.property(anyStock, fc.constantFrom(...petStatuses), (stock, to) => {
      const after = attempt(() => changeStatus(pet(Object.freeze(stock)), to));
      if (typeof after === 'string') {
        const code = to === 'sold' ? 'pet_has_open_orders' : 'invalid_status_change';
        expect(after).toBe(code);
        return;
      }
      expect(statusOf(after)).toBe(to);
      if (statusOf(stock) === to) expect(after).toEqual(stock);
      expect(after.reserved).toBe(stock.reserved);
      if (to !== 'sold') expect(after.quantity).toBe(stock.quantity);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('lifts a hold only by a change of status to available', () => {
    const property = fc.property(anyStock, anyChange, (stock, change) => {
      const held = Object.freeze({ ...stock, held: true });
      const after = attempt(() => change(held));
      if (typeof after === 'string' || after.held) return;
      expect(after).toEqual(changeStatus(pet(held), 'available'));
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('reserves exactly what is available and no unit more', () => {
    const property = fc.property(anyStock, (stock) => {
      const free = Object.freeze({ ...stock, held: false });
      const available = availableOf(free);
      if (available > 0) expect(reserve(pet(free), available).reserved).toBe(free.quantity);
      expect(attempt(() => reserve(pet(free), available + 1))).toBe('insufficient_stock');
      expect(attempt(() => reserve(pet({ ...free, held: true }), available + 1))).toBe(
        'pet_on_hold',
      );
    });
    fc.assert(property);
  });

  it('allows a count down to what is reserved and no unit less', () => {
    const property = fc.property(anyStock, (stock) => {
      const { quantity, reserved } = Object.freeze(stock);
      expect(setQuantity(pet(stock), reserved).quantity).toBe(reserved);
      expect(adjustQuantity(pet(stock), reserved - quantity).quantity).toBe(reserved);
      expect(attempt(() => setQuantity(pet(stock), reserved - 1))).toBe('below_reserved');
      expect(attempt(() => adjustQuantity(pet(stock), reserved - quantity - 1))).toBe(
        'below_reserved',
      );
      const room = STOCK_MAX - quantity;
      expect(adjustQuantity(pet(stock), room).quantity).toBe(STOCK_MAX);
      expect(attempt(() => adjustQuantity(pet(stock), room + 1))).toBe('invalid_request');
    });
    fc.assert(property);
  });
});

describe('the database', () => {
  const folder = temporaryFolder();
  const file = `${folder.path}/petstore.db`;
  let db: Database.Database;
  beforeAll(() => {
    migrateSqlite(file);
    db = new Database(file);
    db.exec(`INSERT INTO workspaces (name, plan, created_at) VALUES ('w', 'free', 0);
      INSERT INTO categories (workspace_id, name, name_key, words) VALUES (1, 'c', 'c', '[]')`);
  });
  afterAll(() => {
    db.close();
    folder.remove();
  });

  const insert = (quantity: number, reserved: number, held: number) =>
    db
      .prepare(
        `INSERT INTO pets (workspace_id, category_id, name, name_key, words, quantity, reserved, held, created_at, moved_at)
         VALUES (1, 1, 'p', 'p', '[]', ?, ?, ?, 0, 0) RETURNING status`,
      )
      .pluck()
      .get(BigInt(quantity), BigInt(reserved), BigInt(held)) as number;

  it('derives the same status as the rule, for every small stock and the largest', () => {
    for (const quantity of [0, 1, 2, 3, STOCK_MAX]) {
      for (const reserved of [0, 1, 2, 3, STOCK_MAX - 1, STOCK_MAX]) {
        if (reserved > quantity) continue;
        for (const held of [0, 1]) {
          const derived = petStatuses[insert(quantity, reserved, held)];
          expect(derived).toBe(statusOf({ quantity, reserved, held: held === 1 }));
        }
      }
    }
  });

  it.each([
    ['a negative count', -1, 0, 0],
    ['a count beyond the range', STOCK_MAX + 1, 0, 0],
    ['a negative reservation', 1, -1, 0],
    ['more reserved than there is', 1, 2, 0],
    ['half a hold', 1, 0, 2],
  ])('refuses %s, even if the code were wrong', (_, quantity, reserved, held) => {
    expect(() => insert(quantity, reserved, held)).toThrow(/CHECK constraint/);
    const change = db.prepare('UPDATE pets SET quantity = ?, reserved = ?, held = ? WHERE id = 1');
    expect(() => change.run(quantity, reserved, held)).toThrow(/CHECK constraint/);
  });

  it.each([0, -1, 1_000_001])('refuses an order of %d units', (quantity) => {
    const order = db.prepare(
      `INSERT INTO orders (workspace_id, pet_id, quantity, state, created_at) VALUES (1, 1, ?, 'open', 0)`,
    );
    expect(() => order.run(quantity)).toThrow(/CHECK constraint/);
  });
});
