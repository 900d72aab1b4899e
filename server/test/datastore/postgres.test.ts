import { poolings } from '../support/topologies.ts';
import { openBehindPgBouncer, openPostgres } from './engines.ts';
import { datastoreSuite } from './suite.ts';

datastoreSuite('PostgreSQL', () => openPostgres());
for (const pooling of poolings) {
  const open = () => openBehindPgBouncer(pooling);
  const name = `PostgreSQL behind PgBouncer, ${pooling} pooling`;
  datastoreSuite(name, open, { isAnotherWay: true });
}
