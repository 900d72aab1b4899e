import type { StoredBan } from '../domain/ban.ts';
import type { Counters } from '../domain/plan.ts';
import { recordChange } from './cluster/changes.ts';
import { Reader, statement } from './runner.ts';

type CountersRow = readonly [
  minuteStart: number,
  minuteUsed: number,
  dayStart: number,
  dayUsed: number,
];
type BanRow = readonly [
  keyId: string,
  workspaceId: number,
  since: number,
  until: number,
  strikes: number,
  quietSince: number,
];

const BAN_COLUMNS = 'key_id, workspace_id, since, until, strikes, quiet_since';
const findCounters = statement<CountersRow>(
  `SELECT minute_start, minute_used, day_start, day_used FROM limit_counters WHERE workspace_id = $1`,
);
const findBan = statement<BanRow>(`SELECT ${BAN_COLUMNS} FROM bans WHERE key_id = $1`);
const listBansOf = statement<BanRow>(
  `SELECT ${BAN_COLUMNS} FROM bans WHERE workspace_id = $1 ORDER BY key_id`,
);
const listBansInForce = statement<BanRow>(
  `SELECT ${BAN_COLUMNS} FROM bans WHERE until > $1 ORDER BY key_id`,
);
const saveCounters = statement(
  `INSERT INTO limit_counters (workspace_id, minute_start, minute_used, day_start, day_used)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (workspace_id) DO UPDATE
   SET minute_start = $2, minute_used = $3, day_start = $4, day_used = $5`,
);
const saveBan = statement(
  `INSERT INTO bans (${BAN_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (key_id) DO UPDATE
   SET since = $3, until = $4, strikes = $5, quiet_since = $6`,
);
// Sets the end to 0 and not to the current time: a clock that is set back would ban the key again.
const liftBan = statement('UPDATE bans SET until = 0 WHERE key_id = $1 AND until > $2');

export class LimitReader extends Reader {
  async findCounters(workspaceId: number): Promise<Counters | undefined> {
    const row = await this.runner.row(findCounters, [workspaceId]);
    if (!row) return undefined;
    const [minuteStart, minuteUsed, dayStart, dayUsed] = row;
    return { minuteStart, minuteUsed, dayStart, dayUsed };
  }

  async findBan(keyId: string): Promise<StoredBan | undefined> {
    const row = await this.runner.row(findBan, [keyId]);
    return row && banOf(row);
  }

  /** Also those that are over, since their strikes still count. */
  async listBansOf(workspaceId: number): Promise<StoredBan[]> {
    return (await this.runner.rows(listBansOf, [workspaceId])).map(banOf);
  }

  async listBansInForce(now: number): Promise<StoredBan[]> {
    return (await this.runner.rows(listBansInForce, [now])).map(banOf);
  }
}

export class LimitWriter extends LimitReader {
  async saveCounters(workspaceId: number, counters: Counters): Promise<void> {
    const { minuteStart, minuteUsed, dayStart, dayUsed } = counters;
    await this.runner.run(saveCounters, [workspaceId, minuteStart, minuteUsed, dayStart, dayUsed]);
  }

  async saveBan(ban: StoredBan): Promise<void> {
    const { keyId, workspaceId, since, until, strikes, quietSince } = ban;
    await this.runner.run(saveBan, [keyId, workspaceId, since, until, strikes, quietSince]);
    await recordChange(this.runner, { workspaceId, kind: 'ban', subject: keyId });
  }

  /** False when the key is not banned. */
  async liftBan({ keyId, workspaceId }: StoredBan, now: number): Promise<boolean> {
    if ((await this.runner.run(liftBan, [keyId, now])) !== 1) return false;
    await recordChange(this.runner, { workspaceId, kind: 'ban', subject: keyId });
    return true;
  }
}

function banOf([keyId, workspaceId, since, until, strikes, quietSince]: BanRow): StoredBan {
  return { keyId, workspaceId, since, until, strikes, quietSince };
}
