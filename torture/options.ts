import { randomInt } from 'node:crypto';
import { readOptions, refuse } from '../scripts/tool-options.ts';
import type { EngineName } from './store.ts';

const HELP = `npm run torture -- [--cycles N] [--only crash|calls|drain|backends|race|goodput|revocation|deliveries|streams|hot-pet|topologies|tests]
                      [--engine sqlite|postgres] [--writers N] [--seed N]

  crash   kill -9 under load, N times (default 100); on PostgreSQL its server is killed as well
  calls   every call on the database's files fails once, and from then on, for one order (SQLite);
          then some calls, under load, N / 5 times
  drain   SIGTERM under clients of one node and of several, N / 10 times each
  backends  two nodes; their Redis is killed N / 2 times and their PostgreSQL restarted N / 5 times
  race    two and then four nodes race for last units, N x 5 rounds each
  hot-pet   60 buyers of one pet, locked for 15 s and then free, and what another workspace notices
  goodput   a crowd that never pauses, on SQLite and on PostgreSQL with Redis
  revocation  keys revoked on one node, N / 10 of them, until another node refuses them
  deliveries  kill -9 while events are delivered to webhooks, N times; on PostgreSQL with three nodes, whose
          PostgreSQL and Redis are killed as well
  streams   N x 10 streams cut at random bytes and resumed, while nodes restart; on PostgreSQL with three nodes
  topologies  three limiters on a Cluster and behind Sentinels; N / 20 masters of each are killed and replaced; then three
          nodes on a primary with a standby, with and without a PgBouncer in front of each, and behind one PgBouncer; N / 10
          primaries and poolers are killed; then crash and race behind PgBouncer, N / 10 kills and N rounds in each mode
  tests     all tests, with more kills, larger crowds and longer searches

  --engine  what crash, deliveries and streams run on (default sqlite)
  --writers   clients at the same time in crash and backends, and in the first part of drain (default 16)
  --seed    repeats what another run of the same parts has drawn: its requests, its faults and when they come. Not what the
          processes do at that moment, so a fault may need several runs
`;

/** The parts in the order in which they run, with the options that each understands. */
const PARTS = {
  crash: ['cycles', 'engine', 'writers', 'seed'],
  calls: ['cycles', 'seed'],
  drain: ['cycles', 'writers', 'seed'],
  backends: ['cycles', 'writers', 'seed'],
  race: ['cycles'],
  goodput: [],
  revocation: ['cycles'],
  deliveries: ['cycles', 'engine', 'seed'],
  streams: ['cycles', 'engine', 'seed'],
  'hot-pet': [],
  topologies: ['cycles'],
  tests: [],
} as const;

export type PartName = keyof typeof PARTS;

export interface TortureOptions {
  parts: readonly PartName[];
  cycles: number;
  writers: number;
  engine: EngineName;
  seed: number;
}

/** Ends the process if an option is not understood, or has no effect on the only part. */
export function readTortureOptions(args: string[]): TortureOptions {
  const options = {
    cycles: { type: 'string' },
    writers: { type: 'string' },
    engine: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { only, help, ...given } = readOptions({ args, options }, HELP).values;
  if (help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  if (only !== undefined && !isPart(only)) refuse(`unknown: --only ${only}`, HELP);
  const known: readonly string[] = only === undefined ? Object.values(PARTS).flat() : PARTS[only];
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) refuse(`--${name} has no effect on ${only}`, HELP);
  }
  const { engine = 'sqlite' } = given;
  if (engine !== 'sqlite' && engine !== 'postgres') refuse(`unknown: --engine ${engine}`, HELP);
  const parts = only === undefined ? (Object.keys(PARTS) as PartName[]) : [only];
  const cycles = countOf('cycles', given.cycles ?? '100');
  const writers = countOf('writers', given.writers ?? '16');
  const seed = countOf('seed', given.seed ?? String(randomInt(1, 1_000_000_000)));
  return { parts, cycles, writers, engine, seed };
}

function isPart(name: string): name is PartName {
  return Object.hasOwn(PARTS, name);
}

function countOf(name: string, text: string): number {
  return /^[1-9]\d*$/.test(text) ? Number(text) : refuse(`no count: --${name} ${text}`, HELP);
}
