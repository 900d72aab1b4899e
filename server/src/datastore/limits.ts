import sql from 'sql-template-tag';
import type { StoredBan } from '../domain/ban.ts';
import type { Counters } from '../domain/plan.ts';
import { recordChange } from './cluster/changes.ts';
import { list, type Page, type PageRequest } from './list.ts';
import { Reader, type Row, statement } from './runner.ts';
import { plain, Table } from './table.ts';

export const counterTable = new Table<Counters>('limit_counters', {
  key: ['workspace_id'],
  fields: {
    minuteStart: plain('minute_start'),
    minuteUsed: plain('minute_used'),
    dayStart: plain('day_start'),
    dayUsed: plain('day_used'),
  },
});
export const banTable = new Table<StoredBan>('bans', {
  key: ['key_id'],
  fields: {
    keyId: plain('key_id'),
    workspaceId: plain('workspace_id'),
    since: plain('since'),
    until: plain('until'),
    strikes: plain('strikes'),
    quietSince: plain('quiet_since'),
  },
});

const findCounters = statement<Row>(
  `SELECT ${counterTable.columns} FROM limit_counters WHERE workspace_id = $1`,
);
const selectBans = `SELECT ${banTable.columns} FROM bans`;
const findBan = statement<Row>(`${selectBans} WHERE key_id = $1`);
const listBansOf = statement<Row>(`${selectBans} WHERE workspace_id = $1 ORDER BY key_id`);
const listBansInForce = statement<Row>(`${selectBans} WHERE until > $1 ORDER BY key_id`);
const saveCounters = statement(
  `INSERT INTO limit_counters (workspace_id, ${counterTable.columns})
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (workspace_id) DO UPDATE
   SET minute_start = $2, minute_used = $3, day_start = $4, day_used = $5`,
);
const saveBan = statement(
  `INSERT INTO bans (${banTable.columns}) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (key_id) DO UPDATE
   SET since = $3, until = $4, strikes = $5, quiet_since = $6`,
);
// Sets the end to 0 and not to the current time: a clock that is set back would ban the key again.
const liftBan = statement('UPDATE bans SET until = 0 WHERE key_id = $1 AND until > $2');

export class LimitReader extends Reader {
  async findCounters(workspaceId: number): Promise<Counters | undefined> {
    const row = await this.runner.row(findCounters, [workspaceId]);
    return row && counterTable.recordOf(row);
  }

  async findBan(keyId: string): Promise<StoredBan | undefined> {
    const row = await this.runner.row(findBan, [keyId]);
    return row && banOf(row);
  }

  /** Also those that are over, since their strikes still count. */
  async listBansOf(workspaceId: number): Promise<StoredBan[]> {
    return (await this.runner.rows(listBansOf, [workspaceId], workspaceId)).map(banOf);
  }

  /** A page of the bans in force, by key. Bans that are over are kept for a while, and are examined too. */
  pageOfBansInForce(now: number, page: PageRequest): Promise<Page<StoredBan>> {
    return list(
      this.runner,
      {
        table: 'bans',
        columns: banTable.columns,
        itemOf: banOf,
        where: sql`TRUE`,
        order: [{ name: 'key_id', type: 'string' }],
        filters: [sql`until > ${now}`],
      },
      page,
    );
  }

  async listBansInForce(now: number): Promise<StoredBan[]> {
    return (await this.runner.rows(listBansInForce, [now])).map(banOf);
  }
}

export class LimitWriter extends LimitReader {
  async saveCounters(workspaceId: number, counters: Counters): Promise<void> {
    await this.runner.run(saveCounters, [workspaceId, ...counterTable.valuesOf(counters)]);
  }

  async saveBan(ban: StoredBan): Promise<void> {
    const { keyId, workspaceId } = ban;
    await this.runner.run(saveBan, banTable.valuesOf(ban));
    await recordChange(this.runner, { workspaceId, kind: 'ban', subject: keyId });
  }

  /** False when the key is not banned. */
  async liftBan({ keyId, workspaceId }: StoredBan, now: number): Promise<boolean> {
    if ((await this.runner.run(liftBan, [keyId, now])) !== 1) return false;
    await recordChange(this.runner, { workspaceId, kind: 'ban', subject: keyId });
    return true;
  }
}

function banOf(row: Row): StoredBan {
  return banTable.recordOf(row);
}
