import type { Stock } from '../domain/stock.ts';
import { type Runner, statement } from './runner.ts';

type ReservedRow = readonly [petId: number, reserved: number, openOrders: number];
type LedgerRow = readonly [
  petId: number,
  quantity: number,
  reserved: number,
  ledgerQuantity: number,
  ledgerReserved: number,
];

const reservedDifferences = statement<ReservedRow>(
  `SELECT p.id, p.reserved, CAST(COALESCE(SUM(o.quantity), 0) AS BIGINT)
   FROM pets p LEFT JOIN orders o ON o.pet_id = p.id AND o.complete = 0
   GROUP BY p.id, p.reserved HAVING p.reserved <> COALESCE(SUM(o.quantity), 0) ORDER BY p.id`,
);
const ledgerDifferences = statement<LedgerRow>(
  `SELECT p.id, p.quantity, p.reserved,
     CAST(COALESCE(SUM(m.quantity_after - m.quantity_before), 0) AS BIGINT),
     CAST(COALESCE(SUM(m.reserved_after - m.reserved_before), 0) AS BIGINT)
   FROM pets p LEFT JOIN movements m ON m.pet_id = p.id
   GROUP BY p.id, p.quantity, p.reserved
   HAVING p.quantity <> COALESCE(SUM(m.quantity_after - m.quantity_before), 0)
     OR p.reserved <> COALESCE(SUM(m.reserved_after - m.reserved_before), 0)
   ORDER BY p.id`,
);
const brokenLinks = statement<readonly [movementId: number, petId: number]>(
  `SELECT id, pet_id FROM (
     SELECT id, pet_id, quantity_before, reserved_before,
       LAG(quantity_after, 1, 0) OVER (PARTITION BY pet_id ORDER BY id) AS quantity_expected,
       LAG(reserved_after, 1, 0) OVER (PARTITION BY pet_id ORDER BY id) AS reserved_expected
     FROM movements
   ) AS linked
   WHERE quantity_before <> quantity_expected OR reserved_before <> reserved_expected ORDER BY id`,
);
const setReserved = statement('UPDATE pets SET reserved = $2 WHERE id = $1 AND $2 <= quantity');
const correct = statement(
  `INSERT INTO movements (pet_id, cause, quantity_before, quantity_after, reserved_before,
     reserved_after, reason, at)
   VALUES ($1, 'adjusted', $2, $3, $4, $5, 'reconcile', $6)`,
);

export interface Differences {
  /** Pets whose `reserved` is not the sum of their open orders. */
  reserved: { petId: number; reserved: number; openOrders: number }[];
  /** Pets whose counts are not what their ledger adds up to. */
  ledger: { petId: number; counted: Omit<Stock, 'held'>; ledger: Omit<Stock, 'held'> }[];
  /** Ledger rows that do not start where the row before them ended. */
  links: { movementId: number; petId: number }[];
}

/** Compares the counts of all pets with their orders and their ledgers. */
export class LedgerAudit {
  readonly #runner: Runner;
  constructor(runner: Runner) {
    this.#runner = runner;
  }

  async differences(): Promise<Differences> {
    const reserved = await this.#runner.rows(reservedDifferences, []);
    const ledger = await this.#runner.rows(ledgerDifferences, []);
    const links = await this.#runner.rows(brokenLinks, []);
    return {
      reserved: reserved.map((row) => ({
        petId: row[0],
        reserved: row[1],
        openOrders: row[2],
      })),
      ledger: ledger.map((row) => ({
        petId: row[0],
        counted: { quantity: row[1], reserved: row[2] },
        ledger: { quantity: row[3], reserved: row[4] },
      })),
      links: links.map(([movementId, petId]) => ({ movementId, petId })),
    };
  }

  /** False when open orders reserve more than there is: which order to cancel is for people to say. */
  async setReserved(petId: number, reserved: number): Promise<boolean> {
    return (await this.#runner.run(setReserved, [petId, reserved])) === 1;
  }

  /** Adds the row that makes a ledger end where the counts are. */
  async correct(petId: number, from: Omit<Stock, 'held'>, to: Omit<Stock, 'held'>, at: number) {
    const values = [petId, from.quantity, to.quantity, from.reserved, to.reserved, at];
    await this.#runner.run(correct, values);
  }
}
