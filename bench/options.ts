import { readOptions, refuse } from '../scripts/tool-options.ts';
import { scenariosOf } from './scenarios.ts';

const HELP = `npm run bench -- [console | --against <commit> | --scale [--huge] | --tenants | --overload | --events | --peers | --start | --operate | --lines]
                    [--quick] [--engine sqlite|postgres|nodes|slow-flush] [--only <text>]

Measures the CPU time of a request, against bare node:http that sends the same bytes.

  console     what the console costs a browser
  --against   this checkout and another commit in turns
  --scale     ever larger stores, up to a million pets, or ten million with --huge
  --tenants   a workspace of 5,000,000 pets and 10,000,000 orders beside 10,000 small ones
  --overload  ten times the load, and orders offered at up to twice the best rate
  --events    deliveries to webhooks and streams
  --peers     an alternative from npm
  --start     what a node costs until it is ready, with each store and each topology
  --operate   the request log, traces, suspensions, and a workspace of 1,000,000 rows that is exported and erased
  --lines     only counts the lines of code that exist for speed
  --quick     fewer requests, and nothing is written
  --engine    only this one
  --only      only scenarios whose name contains the text
`;

/** What is measured, with the options that each understands. `cost` is measured if nothing else is asked for. */
const MODES = {
  console: ['quick'],
  lines: [],
  against: ['quick', 'engine', 'only'],
  scale: ['quick', 'huge'],
  tenants: ['quick'],
  overload: ['quick'],
  events: ['quick'],
  peers: ['quick'],
  start: ['quick'],
  operate: ['quick'],
  cost: ['quick', 'engine', 'only'],
} as const satisfies Record<string, readonly string[]>;

type Mode = keyof typeof MODES;

const ENGINES: Partial<Record<Mode, readonly string[]>> = {
  against: ['sqlite', 'postgres'],
  cost: ['sqlite', 'postgres', 'nodes', 'slow-flush'],
};

export interface BenchOptions {
  mode: Mode;
  quick?: boolean | undefined;
  huge?: boolean | undefined;
  against?: string | undefined;
  only?: string | undefined;
  engine?: string | undefined;
}

/** Ends the process if an option is not understood, or would be ignored. */
export function readBenchOptions(args: string[]): BenchOptions {
  const boolean = { type: 'boolean' } as const;
  const string = { type: 'string' } as const;
  const { values, positionals } = readOptions(
    {
      args,
      allowPositionals: true,
      options: {
        quick: boolean,
        scale: boolean,
        huge: boolean,
        tenants: boolean,
        peers: boolean,
        start: boolean,
        operate: boolean,
        events: boolean,
        lines: boolean,
        overload: boolean,
        against: string,
        only: string,
        engine: string,
        help: { ...boolean, short: 'h' },
      },
    },
    HELP,
  );
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const strangers = positionals.filter((name) => name !== 'console');
  if (strangers.length > 0) refuse(`unknown: ${strangers.join(', ')}`, HELP);
  const given = [...positionals, ...Object.keys(values)];
  const modes = given.filter((name): name is Mode => Object.hasOwn(MODES, name));
  if (modes.length > 1) refuse(`one at a time: ${modes.join(', ')}`, HELP);
  const [mode = 'cost'] = modes;
  const known: readonly string[] = [mode, ...MODES[mode]];
  for (const name of given) {
    if (!known.includes(name)) refuse(`--${name} has no effect on ${mode}`, HELP);
  }
  refuseEmpty(mode, values);
  return { mode, ...values };
}

/** Refuses what selects nothing. */
function refuseEmpty(mode: Mode, { engine, only }: { engine?: string; only?: string }): void {
  if (engine !== undefined && !ENGINES[mode]?.includes(engine)) {
    refuse(`unknown: --engine ${engine}`, HELP);
  }
  if (only === undefined) return;
  if (engine === 'slow-flush') refuse('--only has no effect on slow-flush', HELP);
  const nothing = { key: '', refusedKey: '', eventKeys: [''], pets: 1, hasOrderDetails: true };
  const scenarios = scenariosOf(nothing, 'sqlite').filter(
    ({ goal }) => engine !== 'nodes' || goal !== undefined,
  );
  const names = scenarios.map(({ name }) => name);
  if (names.some((name) => name.includes(only))) return;
  refuse(`no scenario has a name that contains "${only}": ${names.join(', ')}`, HELP);
}
