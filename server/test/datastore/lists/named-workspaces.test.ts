import { expect, it } from 'vitest';
import { type Readers, readersOver } from '../../../src/datastore/datastore.ts';
import { openFile } from '../../../src/datastore/sqlite/file.ts';
import { SqliteRunner } from '../../../src/datastore/sqlite/runner.ts';
import { openSqlite } from '../engines.ts';

const WORKSPACE = 7;
const WEBHOOK = { workspaceId: WORKSPACE, id: 1 };
/** Reads of several rows of one workspace, which are no page of a list. */
const reads: Record<string, (readers: Readers) => Promise<unknown>> = {
  'usage by day': ({ usage }) => usage.days(WORKSPACE, 0),
  'usage by minute': ({ usage }) => usage.minutes(WORKSPACE, 0),
  'the requests of a day': ({ usage }) => usage.admittedOn(WORKSPACE, 0),
  'its bans': ({ limits }) => limits.listBansOf(WORKSPACE),
  'parked events': ({ deliveries }) => deliveries.countParked(WEBHOOK),
};

it.each(Object.entries(reads))(
  'a read of %s says for which workspace it is, which holds at most half of the connections',
  async (_, read) => {
    const engine = await openSqlite();
    const db = openFile(engine.location);
    const runner = new SqliteRunner(db);
    const askedFor: (number | undefined)[] = [];
    const naming = Object.create(runner, {
      engine: { value: runner.engine },
      row: { value: runner.row.bind(runner) },
      rows: {
        value: (
          ...[statement, values, workspaceId]: [...Parameters<typeof runner.rows>, number]
        ) => {
          askedFor.push(workspaceId);
          return runner.rows(statement, values);
        },
      },
    });
    await read(readersOver(naming));
    expect(new Set(askedFor)).toEqual(new Set([WORKSPACE]));
    db.close();
    await engine.close();
  },
);
