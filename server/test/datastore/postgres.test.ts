import { openBehindPgBouncer, openPostgres } from './engines.ts';
import { datastoreSuite } from './suite.ts';

datastoreSuite('PostgreSQL', () => openPostgres());
datastoreSuite('PostgreSQL behind PgBouncer, transaction pooling', () =>
  openBehindPgBouncer('transaction'),
);
// With session pooling a connection is one of PostgreSQL, so the suite says little more than the first.
if (process.env.THOROUGH === '1') {
  datastoreSuite('PostgreSQL behind PgBouncer, session pooling', () =>
    openBehindPgBouncer('session'),
  );
}
