import { poolings } from '../support/topologies.ts';
import { openBehindPgBouncer, openPostgres } from './engines.ts';
import { datastoreSuite } from './suite.ts';

datastoreSuite('PostgreSQL', () => openPostgres());
for (const pooling of poolings) {
  datastoreSuite(`PostgreSQL behind PgBouncer, ${pooling} pooling`, () =>
    openBehindPgBouncer(pooling),
  );
}
