import type { Stock } from '../../domain/stock.ts';
import { insertion, insertRow, Reader, statement } from '../runner.ts';

type Counts = Omit<Stock, 'held'>;

type ReservedRow = readonly [petId: number, reserved: number, openOrders: number];
type LedgerRow = readonly [
  petId: number,
  quantity: number,
  reserved: number,
  ledgerQuantity: number,
  ledgerReserved: number,
];
type LinkRow = readonly [movementId: number, petId: number];

// Each of these is one statement, so it sees one state of the database, also while nodes are serving.
const reservedDifferences = statement<ReservedRow>(
  `SELECT p.id, p.reserved, CAST(COALESCE(SUM(o.quantity), 0) AS BIGINT)
   FROM pets p LEFT JOIN orders o ON o.pet_id = p.id AND o.complete = 0
   GROUP BY p.id, p.reserved HAVING p.reserved <> COALESCE(SUM(o.quantity), 0) ORDER BY p.id`,
);
const ledgerDifferences = statement<LedgerRow>(
  `SELECT p.id, p.quantity, p.reserved,
     COALESCE(m.quantity_after, 0), COALESCE(m.reserved_after, 0)
   FROM pets p LEFT JOIN movements m
     ON m.id = (SELECT MAX(last.id) FROM movements last WHERE last.pet_id = p.id)
   WHERE p.quantity <> COALESCE(m.quantity_after, 0) OR p.reserved <> COALESCE(m.reserved_after, 0)
   ORDER BY p.id`,
);
// A correcting row confirms the counts, so gaps before it need no more attention.
const BROKEN_LINKS = (condition: string) => `SELECT id, pet_id FROM (
     SELECT id, pet_id, quantity_before, reserved_before,
       LAG(quantity_after, 1, 0) OVER (PARTITION BY pet_id ORDER BY id) AS quantity_expected,
       LAG(reserved_after, 1, 0) OVER (PARTITION BY pet_id ORDER BY id) AS reserved_expected
     FROM movements ${condition}
   ) AS linked
   WHERE (quantity_before <> quantity_expected OR reserved_before <> reserved_expected)
     AND NOT EXISTS (
       SELECT 1 FROM movements correcting
       WHERE correcting.pet_id = linked.pet_id AND correcting.id > linked.id
         AND correcting.reason = 'reconcile' AND correcting.key_id IS NULL)
   ORDER BY id`;
const brokenLinks = statement<LinkRow>(BROKEN_LINKS(''));
const brokenLinksOf = statement<LinkRow>(BROKEN_LINKS('WHERE pet_id = $1'));
const openOrders = statement<readonly [number]>(
  `SELECT CAST(COALESCE(SUM(quantity), 0) AS BIGINT) FROM orders
   WHERE pet_id = $1 AND complete = 0`,
);
const ledgerEnd = statement<readonly [quantity: number, reserved: number]>(
  `SELECT quantity_after, reserved_after FROM movements
   WHERE pet_id = $1 ORDER BY id DESC LIMIT 1`,
);
const setReserved = statement('UPDATE pets SET reserved = $2 WHERE id = $1');
const findOwner = statement<readonly [workspaceId: number, held: number]>(
  'SELECT workspace_id, held FROM pets WHERE id = $1',
);
const correct = insertion(
  `INSERT INTO movements (pet_id, cause, quantity_before, quantity_after, reserved_before,
     reserved_after, reason, at)
   VALUES ($1, 'adjusted', $2, $3, $4, $5, 'reconcile', $6)`,
);

export interface Differences {
  /** Pets whose `reserved` is not the sum of their open orders. */
  reserved: { petId: number; reserved: number; openOrders: number }[];
  /** Pets whose counts are not those with which their ledger ends. */
  ledger: { petId: number; counted: Counts; ledger: Counts }[];
  /** Ledger rows that do not start where the row before them ended. */
  links: { movementId: number; petId: number }[];
}

/** Compares the counts of pets with their orders and their ledgers. */
export class LedgerAuditReader extends Reader {
  /** Of all pets. */
  async differences(): Promise<Differences> {
    const reserved = await this.runner.rows(reservedDifferences, []);
    const ledger = await this.runner.rows(ledgerDifferences, []);
    const links = await this.runner.rows(brokenLinks, []);
    return {
      reserved: reserved.map((row) => ({ petId: row[0], reserved: row[1], openOrders: row[2] })),
      ledger: ledger.map((row) => ({
        petId: row[0],
        counted: { quantity: row[1], reserved: row[2] },
        ledger: { quantity: row[3], reserved: row[4] },
      })),
      links: links.map(([movementId, petId]) => ({ movementId, petId })),
    };
  }
}

export class LedgerAuditWriter extends LedgerAuditReader {
  /** The units in the open orders of a pet. */
  async openOrders(petId: number): Promise<number> {
    return (await this.runner.row(openOrders, [petId]))![0];
  }

  /** The counts with which the ledger of a pet ends. */
  async ledgerEnd(petId: number): Promise<Counts> {
    const [quantity, reserved] = (await this.runner.row(ledgerEnd, [petId])) ?? [0, 0];
    return { quantity, reserved };
  }

  async hasBrokenLink(petId: number): Promise<boolean> {
    return (await this.runner.row(brokenLinksOf, [petId])) !== undefined;
  }

  async setReserved(petId: number, reserved: number): Promise<void> {
    await this.runner.run(setReserved, [petId, reserved]);
  }

  /** Adds the row that makes a ledger end with these counts. */
  async correct(petId: number, change: { from: Counts; to: Counts; at: number }) {
    const { from, to, at } = change;
    const values = [petId, from.quantity, to.quantity, from.reserved, to.reserved, at];
    const movementId = (await insertRow(this.runner, correct, values))!;
    const [workspaceId, held] = (await this.runner.row(findOwner, [petId]))!;
    return { movementId, workspaceId, isHeld: held === 1 };
  }
}
