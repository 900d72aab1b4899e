import type { Stock } from '../../domain/stock.ts';
import { recordChange } from '../cluster/changes.ts';
import { Reader, statement } from '../runner.ts';

type Counts = Omit<Stock, 'held'>;

/** A pet, as a command that works on all workspaces names it. */
interface PetName {
  workspaceId: number;
  petId: number;
}

type ReservedRow = readonly [
  workspaceId: number,
  petId: number,
  reserved: number,
  openOrders: number,
];
type LedgerRow = readonly [
  workspaceId: number,
  petId: number,
  quantity: number,
  reserved: number,
  ledgerQuantity: number,
  ledgerReserved: number,
];
type LinkRow = readonly [workspaceId: number, petId: number, movementId: number];

// Each of these is one statement, so it sees one state of the database, also while nodes are serving.
const reservedDifferences = (
  condition: string,
) => `SELECT p.workspace_id, p.id, p.reserved, CAST(COALESCE(SUM(o.quantity), 0) AS BIGINT)
   FROM pets p LEFT JOIN orders o
     ON o.workspace_id = p.workspace_id AND o.pet_id = p.id AND o.state = 'open' ${condition}
   GROUP BY p.workspace_id, p.id, p.reserved HAVING p.reserved <> COALESCE(SUM(o.quantity), 0)
   ORDER BY p.id`;
// Without the plus, SQLite would look for the largest id among all rows of the workspace, for each pet.
const ledgerDifferences = (
  condition: string,
) => `SELECT p.workspace_id, p.id, p.quantity, p.reserved,
     COALESCE(m.quantity_after, 0), COALESCE(m.reserved_after, 0)
   FROM pets p LEFT JOIN movements m ON m.workspace_id = p.workspace_id AND m.id = (
     SELECT MAX(+last.id) FROM movements last
     WHERE last.workspace_id = p.workspace_id AND last.pet_id = p.id
   )
   WHERE (p.quantity <> COALESCE(m.quantity_after, 0) OR p.reserved <> COALESCE(m.reserved_after, 0)) ${condition}
   ORDER BY p.id`;
// A correcting row confirms the counts, so gaps before it need no more attention.
const brokenLinks = (condition: string) => `SELECT workspace_id, pet_id, id FROM (
     SELECT workspace_id, id, pet_id, quantity_before, reserved_before,
       LAG(quantity_after, 1, 0) OVER pet AS quantity_expected,
       LAG(reserved_after, 1, 0) OVER pet AS reserved_expected
     FROM movements ${condition}
     WINDOW pet AS (PARTITION BY workspace_id, pet_id ORDER BY id)
   ) AS linked
   WHERE (quantity_before <> quantity_expected OR reserved_before <> reserved_expected)
     AND NOT EXISTS (
       SELECT 1 FROM movements correcting
       WHERE correcting.workspace_id = linked.workspace_id AND correcting.pet_id = linked.pet_id
         AND correcting.id > linked.id
         AND correcting.reason = 'reconcile' AND correcting.key_id IS NULL)
   ORDER BY id`;
const ofAll = {
  reserved: statement<ReservedRow>(reservedDifferences('')),
  ledger: statement<LedgerRow>(ledgerDifferences('')),
  links: statement<LinkRow>(brokenLinks('')),
};
const ofWorkspace: typeof ofAll = {
  reserved: statement(reservedDifferences('WHERE p.workspace_id = $1')),
  ledger: statement(ledgerDifferences('AND p.workspace_id = $1')),
  links: statement(brokenLinks('WHERE workspace_id = $1')),
};
const brokenLinksOfPet = statement<LinkRow>(brokenLinks('WHERE pet_id = $1 AND workspace_id = $2'));
const openOrders = statement<readonly [number]>(
  `SELECT CAST(COALESCE(SUM(quantity), 0) AS BIGINT) FROM orders
   WHERE pet_id = $1 AND workspace_id = $2 AND state = 'open'`,
);
const ledgerEnd = statement<readonly [quantity: number, reserved: number]>(
  `SELECT quantity_after, reserved_after FROM movements
   WHERE pet_id = $1 AND workspace_id = $2 ORDER BY at DESC, id DESC LIMIT 1`,
);
const setReserved = statement('UPDATE pets SET reserved = $3 WHERE id = $1 AND workspace_id = $2');

export interface Differences {
  /** Pets whose `reserved` is not the sum of their open orders. */
  reserved: (PetName & { reserved: number; openOrders: number })[];
  /** Pets whose counts are not those with which their ledger ends. */
  ledger: (PetName & { counted: Counts; ledger: Counts })[];
  /** Ledger rows that do not start where the row before them ended. */
  links: (PetName & { movementId: number })[];
}

/** Compares the counts of pets with their orders and their ledgers. */
export class LedgerAuditReader extends Reader {
  /** Of all pets, or of those of a workspace. */
  async differences(workspaceId?: number): Promise<Differences> {
    const [statements, values] =
      workspaceId === undefined ? [ofAll, []] : [ofWorkspace, [workspaceId]];
    const reserved = await this.runner.rows(statements.reserved, values);
    const ledger = await this.runner.rows(statements.ledger, values);
    const links = await this.runner.rows(statements.links, values);
    return {
      reserved: reserved.map(([workspaceId, petId, counted, open]) => {
        return { workspaceId, petId, reserved: counted, openOrders: open };
      }),
      ledger: ledger.map(([workspaceId, petId, ...counts]) => ({
        workspaceId,
        petId,
        counted: { quantity: counts[0], reserved: counts[1] },
        ledger: { quantity: counts[2], reserved: counts[3] },
      })),
      links: links.map(([workspaceId, petId, movementId]) => ({ workspaceId, petId, movementId })),
    };
  }
}

export class LedgerAuditWriter extends LedgerAuditReader {
  /** The units in the open orders of a pet. */
  async openOrders({ workspaceId, petId }: PetName): Promise<number> {
    return (await this.runner.row(openOrders, [petId, workspaceId]))![0];
  }

  /** The counts with which the ledger of a pet ends. */
  async ledgerEnd({ workspaceId, petId }: PetName): Promise<Counts> {
    const row = await this.runner.row(ledgerEnd, [petId, workspaceId]);
    const [quantity, reserved] = row ?? [0, 0];
    return { quantity, reserved };
  }

  async hasBrokenLink({ workspaceId, petId }: PetName): Promise<boolean> {
    return (await this.runner.row(brokenLinksOfPet, [petId, workspaceId])) !== undefined;
  }

  async setReserved({ workspaceId, petId }: PetName, reserved: number): Promise<void> {
    await this.runner.run(setReserved, [petId, workspaceId, reserved]);
    await recordChange(this.runner, { workspaceId, kind: 'overdue', subject: String(petId) });
  }
}
