import { openSqlite } from './engines.ts';
import { datastoreSuite } from './suite.ts';

datastoreSuite('SQLite', openSqlite);
