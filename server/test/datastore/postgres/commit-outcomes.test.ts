import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConstraintViolation, OutcomeUnknown } from '../../../src/datastore/failures.ts';
import { insertMarker } from '../../../src/datastore/postgres/commit-markers.ts';
import { CommitOutcomes } from '../../../src/datastore/postgres/commit-outcomes.ts';
import { ConnectionLost } from '../../../src/datastore/postgres/failures.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresPool } from '../../../src/datastore/postgres/pool.ts';
import { PrimaryServer } from '../../../src/datastore/postgres/primary.ts';
import { createDatabase, onDatabase } from '../../support/servers.ts';
import { NOW } from '../fixture.ts';
import { untilLockIsAwaited } from './locks.ts';

const placeOf = (url: string) => ({ primary: new PrimaryServer(url), pooling: 'session' as const });

const SOON_MS = 200;
const LONG_MS = 60_000;
const kept = { isCommitted: true, result: undefined };
const missing = { isCommitted: false, result: undefined };

describe('the outcome of a commit on PostgreSQL', () => {
  let url: string;
  let pool: PostgresPool;
  let outcomes: CommitOutcomes;
  beforeAll(async () => {
    url = await createDatabase();
    await migratePostgres(url);
    pool = new PostgresPool({ ...placeOf(url), connections: 3, timeoutFactor: 20 });
    outcomes = new CommitOutcomes(pool);
    const deadline = performance.now() + LONG_MS;
    await Promise.all(
      Array.from({ length: 3 }, () => pool.use(deadline, (connection) => connection.rollBack())),
    );
  });
  afterAll(() => pool?.close());

  /** A connection with the markers of two units. From `SOON_MS` on their commit is late. */
  async function newCommit(deadlineMs = LONG_MS) {
    const now = performance.now();
    const acquired = await pool.acquire(now + SOON_MS, now + LONG_MS);
    onTestFinished(() => acquired.release());
    const markers = [acquired.connection.nextMarker(), acquired.connection.nextMarker()];
    return { acquired, markers, deadline: performance.now() + deadlineMs };
  }

  /** Locks the markers until the work is done. */
  function whileLocked(work: () => Promise<void>): Promise<void> {
    return onDatabase(url, async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE commit_marks');
      await work();
      await client.query('ROLLBACK');
    });
  }

  it('is its answer, also one that comes after the look-up has begun', async () => {
    await whileLocked(async () => {
      const commit = await newCommit();
      const { promise, resolve } = Promise.withResolvers<string>();
      const outcome = outcomes.settle(promise, commit);
      await untilLockIsAwaited(url);
      resolve('COMMIT');
      expect(await outcome).toEqual({ answer: 'COMMIT' });
      // Its next user must not meet a commit that was given up.
      expect(commit.acquired.connection.isWornOut).toBe(true);
    });
  });

  it('is what its markers hold when the answer does not come', async () => {
    const commit = await newCommit();
    const [first] = commit.markers;
    await pool.use(commit.deadline, (connection) =>
      connection.send([insertMarker(first!, first!.unit, NOW)]),
    );
    const outcome = await outcomes.settle(new Promise(() => {}), commit);
    expect(outcome).toEqual({ found: [kept, missing] });
  });

  it('is what its markers hold when the connection is lost', async () => {
    const commit = await newCommit();
    const outcome = await outcomes.settle(Promise.reject(new ConnectionLost('cut')), commit);
    expect(outcome).toEqual({ found: [missing, missing] });
  });

  it('is final: a commit that was found not to have taken place fails when it arrives', async () => {
    const commit = await newCommit();
    expect(await outcomes.settle(new Promise(() => {}), commit)).toEqual({
      found: [missing, missing],
    });
    const late = pool.use(commit.deadline, (connection) =>
      connection.send([insertMarker(commit.markers[1]!, commit.markers[1]!.unit, NOW)]),
    );
    await expect(late).rejects.toThrow(ConstraintViolation);
  });

  it('is unknown when neither the answer nor the markers come in time', async () => {
    await whileLocked(async () => {
      const commit = await newCommit(2 * SOON_MS);
      const outcome = outcomes.settle(new Promise(() => {}), commit);
      await expect(outcome).rejects.toThrow(OutcomeUnknown);
    });
  });

  it('is a lost connection when the commit fails after the look-up has begun, whatever its error', async () => {
    await whileLocked(async () => {
      const commit = await newCommit();
      const { promise, reject } = Promise.withResolvers<string>();
      const outcome = outcomes.settle(promise, commit);
      await untilLockIsAwaited(url);
      reject(new ConstraintViolation('unique', new Error('the marker exists')));
      await expect(outcome).rejects.toThrow(ConnectionLost);
    });
  });

  it('is the failure of a commit that the server refuses', async () => {
    const commit = await newCommit();
    const outcome = outcomes.settle(Promise.reject(new RangeError('refused')), commit);
    await expect(outcome).rejects.toThrow(RangeError);
  });
});
