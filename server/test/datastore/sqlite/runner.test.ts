import Database from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { statement } from '../../../src/datastore/runner.ts';
import { SqliteRunner } from '../../../src/datastore/sqlite/runner.ts';

it('binds each value where the text names it, and a LIMIT as an expression', async () => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 1), (1, 2), (1, 3), (2, 4)');
  const prepare = vi.spyOn(db, 'prepare');
  const runner = new SqliteRunner(db);
  const list = statement<readonly [number]>(
    'SELECT b FROM t WHERE a = $2 AND b > $1 AND a = $2 ORDER BY b LIMIT $3',
  );
  expect(await runner.rows(list, [1, 1, 1])).toEqual([[2]]);
  expect(await runner.rows(list, [0, 1, 2])).toEqual([[1], [2]]);
  // A LIMIT that is a parameter alone would be planned anew at each run.
  expect(prepare.mock.calls).toEqual([
    ['SELECT b FROM t WHERE a = ? AND b > ? AND a = ? ORDER BY b LIMIT CAST(? AS INTEGER)'],
  ]);
  db.close();
});
