// Runners that count the rows that each statement examines, as the database itself counts them.

import type Database from 'better-sqlite3';
import pg from 'pg';
import { applySettings } from '../../../src/datastore/postgres/session.ts';
import type { Row, Runner, Statement, Value } from '../../../src/datastore/runner.ts';
import { openFile } from '../../../src/datastore/sqlite/file.ts';
import { SqliteRunner } from '../../../src/datastore/sqlite/runner.ts';
import { tables } from '../../../src/datastore/tables.ts';
import { EXAMINED_MAX } from './filled-store.ts';

export interface Counting {
  runner: Runner;
  /** How many rows were examined since the last call. */
  taken(): number;
  /** How many of them one statement examined, at most. */
  most(): number;
  /** The statement that makes an index. */
  definitionOf(index: string): Promise<string>;
  close(): Promise<void>;
}

const SETTINGS = { statementMs: 60_000, lockMs: 60_000, mayScan: false };
const FROM_TABLE = new RegExp(
  `(?:FROM|JOIN) (${tables.map(({ name }) => name).join('|')})( (?!WHERE|ON|LEFT|JOIN|NOT)\\w+)?(?: NOT INDEXED)?\\s+(WHERE|ON) `,
  'g',
);

/** SQLite calls a function for each row of a table, before it applies any other condition that no index serves. */
export async function countOnSqlite(file: string): Promise<Counting> {
  const db = openFile(file);
  const tally = newTally();
  let examined = 0;
  db.function('examined', (_key: unknown) => {
    examined += 1;
    return 1;
  });
  const runner = new SqliteRunner(db);
  const counting = (text: string) =>
    text.replace(FROM_TABLE, (match, table: string, alias: string | undefined) => {
      const key = tables.find(({ name }) => name === table)!.key.at(-1);
      return `${match}examined(${alias?.trim() ?? table}.${key}) = 1 AND `;
    });
  const checked = new Set<string>();
  const rows = <R extends Row>({ text }: Statement<R>, values: readonly Value[]) => {
    const counted = counting(text);
    if (counted === text) throw new Error(`a statement that names no table: ${text}`);
    if (!checked.has(text)) {
      const [plan, other] = [planOf(db, text), planOf(db, counted)];
      if (plan !== other) throw new Error(`counting changes a plan: ${text}\n${plan}\n${other}`);
      checked.add(text);
    }
    examined = 0;
    const result = runner.rows<R>({ text: counted, locks: false }, values);
    tally.add(examined);
    return result;
  };
  return {
    runner: readOnly('sqlite', rows),
    ...tally,
    async definitionOf(index) {
      return db
        .prepare('SELECT sql FROM sqlite_master WHERE name = ?')
        .pluck()
        .get(index) as string;
    },
    close: async () => void db.close(),
  };
}

/** PostgreSQL runs each statement a second time and explains what it did. */
export async function countOnPostgres(url: string): Promise<Counting> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  client.setTypeParser(20, Number);
  await applySettings(client, SETTINGS);
  const tally = newTally();
  const rows = async <R extends Row>({ text }: Statement<R>, values: readonly Value[]) => {
    const given = [...values];
    const explain = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`;
    const explained = await client.query({ text: explain, values: given, rowMode: 'array' });
    tally.add(examinedBy(explained.rows[0]![0][0].Plan));
    return (await client.query({ text, values: given, rowMode: 'array' })).rows as unknown as R[];
  };
  return {
    runner: readOnly('postgres', rows),
    ...tally,
    async definitionOf(index) {
      const text = 'SELECT indexdef FROM pg_indexes WHERE indexname = $1';
      return (await client.query({ text, values: [index], rowMode: 'array' })).rows[0]![0];
    },
    close: () => client.end(),
  };
}

function newTally() {
  let examined = 0;
  let mostExamined = 0;
  return {
    add(rows: number) {
      examined += rows;
      mostExamined = Math.max(mostExamined, rows);
    },
    taken() {
      const count = examined;
      examined = 0;
      mostExamined = 0;
      return count;
    },
    most: () => mostExamined,
  };
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/** Pages that a look-up reads at most on its way to a row: those of the index, and that of the row. */
const LOOK_UP_PAGES = 5;
/** Entries of an index on one page, at least. */
const ENTRIES_PER_PAGE = 100;

/**
 * The rows that all scans of a plan have read. What a bitmap finds is counted where the index is read. Entries that a scan
 * of an index passes over are not in the plan, but their pages are: those that no row accounts for.
 */
function examinedBy(node: PlanNode): number {
  const plans = node.Plans ?? [];
  const below = plans.reduce((sum, each) => sum + examinedBy(each), 0);
  const isScan = node['Relation Name'] !== undefined || node['Index Name'] !== undefined;
  if (!isScan || node['Node Type'] === 'Bitmap Heap Scan') return below;
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const loops = node['Actual Loops'];
  const rows = (node['Actual Rows'] + removed) * loops;
  const pages = pagesOf(node) - plans.reduce((sum, each) => sum + pagesOf(each), 0);
  const passedOver = Math.max(0, pages - (rows + loops) * LOOK_UP_PAGES) * ENTRIES_PER_PAGE;
  return below + rows + passedOver;
}

const pagesOf = (node: PlanNode) => node['Shared Hit Blocks'] + node['Shared Read Blocks'];

function planOf(db: Database.Database, text: string): string {
  const plain = text.replace(/(LIMIT )?\$\d+/g, (_, limit) =>
    limit ? 'LIMIT CAST(? AS INTEGER)' : '?',
  );
  const count = plain.split('?').length - 1;
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${plain}`).all(...Array(count).fill(null));
  return steps.map((step) => (step as { detail: string }).detail).join('\n');
}

function readOnly(engine: Runner['engine'], rows: Runner['rows']): Runner {
  const refuse = (): never => {
    throw new Error('lists write nothing');
  };
  return {
    engine,
    examinedMax: EXAMINED_MAX,
    rows,
    row: async (statement, values) => (await rows(statement, values))[0],
    run: refuse,
    runEach: refuse,
    rowEach: refuse,
    runLater: refuse,
    commitSingle: refuse,
    guard: refuse,
  };
}
