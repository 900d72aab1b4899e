// Code that exists only for speed: which mechanism, in which files, how long, and what it gains. The gains were measured
// when the mechanism was added or last put to the test; the sources say how.

import { readFileSync } from 'node:fs';

interface Mechanism {
  name: string;
  /** Under server/src. */
  files: readonly string[];
  gain: string;
}

const mechanisms: readonly Mechanism[] = [
  {
    name: 'coalescer: work is done once per tick',
    files: ['lib/coalescer.ts'],
    gain: 'the mechanisms below share it',
  },
  {
    name: 'group commit on SQLite',
    files: ['datastore/sqlite/group-commit.ts'],
    gain: 'not measured by itself: without it every write pays for its own flush. `write-transaction.ts` is not counted: a commit for each write would need it too',
  },
  {
    name: 'one read transaction per tick on SQLite',
    files: ['datastore/sqlite/read-snapshot.ts'],
    gain: 'two system calls per row; an order 97 us instead of 138, together with fewer checkpoints (86dad78)',
  },
  {
    name: 'read cache on SQLite',
    files: ['http/read-cache.ts', 'datastore/sqlite/foreign-changes.ts'],
    gain: 'a page of 20 pets 1.4 times bare instead of 5.5 to 6.5 (ADR 9)',
  },
  {
    name: 'batches of commands to PostgreSQL',
    files: ['datastore/postgres/command-batch.ts'],
    gain: 'against pipeline mode of pg: lists 13 %, writes 31 to 33 % of the CPU (ADR 10)',
  },
  {
    name: 'reads of a tick in one round trip, equal lists once',
    files: ['datastore/postgres/reads.ts'],
    gain: 'a read 103 us instead of 230 (7579bfa); a page of 20 pets 2.6 times bare instead of 7.4 (08e1fde)',
  },
  {
    name: 'grouped orders on PostgreSQL',
    files: ['datastore/postgres/grouped-transactions.ts', 'datastore/postgres/commit-units.ts'],
    gain: 'an order 119 us instead of 232 (13a1ef7), one with an Idempotency-Key 220 us instead of 586',
  },
  {
    name: 'commit markers',
    files: ['datastore/postgres/commit-markers.ts'],
    gain: 'no speed: the outcome of a lost commit. An order needs one statement because its marker is part of it: 129 us instead of 160 (166569f)',
  },
  {
    name: 'lines of the log are joined',
    files: ['telemetry/log-output.ts'],
    gain: '4 % of a request against the buffer of pino (ADR 8)',
  },
  {
    name: 'overload guard',
    files: ['http/workload.ts', 'http/steps/shed-load.ts'],
    gain: 'goodput under a crowd: `npm run torture -- --only goodput`',
  },
];

/** The table of mechanisms with their length. */
export function machineryTable(): string {
  const counts = mechanisms.map(({ files }) => files.map(linesOf).reduce(add, NOTHING));
  const rows = mechanisms.map(({ name, files, gain }, at) => {
    const { lines, code } = counts[at]!;
    const named = files.map((file) => `\`${file}\``).join(', ');
    return `| ${[name, named, lines, code, gain].join(' | ')} |`;
  });
  const { lines, code } = counts.reduce(add, NOTHING);
  const heads = ['mechanism', 'files of server/src', 'lines', 'of these code', 'gain'];
  return [
    `| ${heads.join(' | ')} |`,
    `|${'---|'.repeat(heads.length)}`,
    ...rows,
    `| all | | ${lines} | ${code} | |`,
  ].join('\n');
}

interface Count {
  lines: number;
  /** Without comments and blank lines. */
  code: number;
}

const NOTHING: Count = { lines: 0, code: 0 };

function add(a: Count, b: Count): Count {
  return { lines: a.lines + b.lines, code: a.code + b.code };
}

function linesOf(file: string): Count {
  const lines = readFileSync(`server/src/${file}`, 'utf8').trimEnd().split('\n');
  const isCode = (line: string) => !/^\s*(\/\/|\/\*|\*|$)/.test(line);
  return { lines: lines.length, code: lines.filter(isCode).length };
}
