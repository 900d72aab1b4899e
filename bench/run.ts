// npm run bench: the CPU time of a request, against bare node:http that sends the same bytes. A full run rewrites its
// part of bench/RESULTS.md.
//   --quick             fewer requests, and nothing is written
//   --engine, --only    one of sqlite, postgres, nodes, slow-flush; scenarios whose name contains a text
//   --against <commit>  this checkout and another commit in turns
//   --scale [--huge]    ever larger stores, up to a million (ten million) pets
//   --overload          ten times the load
//   --events            deliveries to webhooks and streams
//   --peers             an alternative from npm
//   console             what the console costs a browser
//   --lines             only counts the lines of code that exist for speed

import { parseArgs } from 'node:util';
import { measureAgainst } from './against.ts';
import { type Engine, measureSetup, type SetupResult, sideBySide } from './engines.ts';
import { measureEvents } from './events/measure-events.ts';
import { machineryTable } from './machinery.ts';
import { measureOverload } from './overload.ts';
import { measurePeers } from './peers.ts';
import { writePart, writeResults } from './results.ts';
import { measureScale } from './scale.ts';
import type { Scenario } from './scenarios.ts';
import { measureSlowFlush } from './slow-flush.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    scale: { type: 'boolean' },
    huge: { type: 'boolean' },
    peers: { type: 'boolean' },
    events: { type: 'boolean' },
    lines: { type: 'boolean' },
    overload: { type: 'boolean' },
    against: { type: 'string' },
    only: { type: 'string' },
    engine: { type: 'string' },
  },
});

const PARTS = ['sqlite', 'postgres', 'nodes', 'slow-flush'];
const strangers = positionals.filter((name) => name !== 'console');
if (options.engine !== undefined && !PARTS.includes(options.engine)) {
  strangers.push(`--engine ${options.engine}`);
}
if (strangers.length > 0) {
  console.error(
    `unknown: ${strangers.join(', ')}; the first lines of bench/run.ts list all options`,
  );
  process.exit(2);
}

const effort = options.quick
  ? { warmups: 3, rounds: 3, requests: 2_000, connections: 32, pets: 5_000 }
  : { warmups: 3, rounds: 7, requests: 10_000, connections: 32, pets: 100_000 };
// Short rounds, so that other work on the machine hits both services alike.
const effortAgainst = options.quick
  ? { warmups: 6, rounds: 15, requests: 1_000, connections: 32, pets: 25_000 }
  : { warmups: 15, rounds: 35, requests: 2_000, connections: 32, pets: 100_000 };

const isPartWanted = (part: string) => options.engine === undefined || options.engine === part;

if (positionals.includes('console')) {
  const { measureConsole } = await import('./console.ts');
  writeResults('console', await measureConsole(), !options.quick);
} else if (options.lines) {
  writePart('lines', ['## Code that exists for speed', machineryTable()]);
} else if (options.against) {
  const engines = (['sqlite', 'postgres'] satisfies Engine[]).filter(isPartWanted);
  const isWanted = ({ name }: Scenario) => name.includes(options.only ?? '');
  const sections = await measureAgainst({
    commit: options.against,
    engines,
    effort: effortAgainst,
    isWanted,
  });
  const isKept = !options.quick && !options.only && !options.engine;
  writeResults('against', sections, isKept);
} else if (options.scale) {
  const usual = options.quick ? [1_000, 10_000] : [1_000, 100_000, 1_000_000];
  const sizes = options.huge ? [...usual, 10_000_000] : usual;
  writeResults('scale', await measureScale(sizes, effort), !options.quick);
} else if (options.overload) {
  writeResults('overload', await measureOverload(effort), !options.quick);
} else if (options.events) {
  const isQuick = options.quick === true;
  writeResults('events', await measureEvents({ isQuick }), !isQuick);
} else if (options.peers) {
  writeResults('peers', await measurePeers(effort), !options.quick);
} else {
  const setups: SetupResult[] = [];
  for (const setup of ['sqlite', 'postgres', 'nodes'] as const) {
    if (!isPartWanted(setup)) continue;
    // Two nodes are measured for the scenarios that have a goal.
    const isWanted = ({ name, goal }: Scenario) =>
      name.includes(options.only ?? '') && (setup !== 'nodes' || goal !== undefined);
    setups.push(await measureSetup(setup, effort, isWanted));
  }
  const isSlowWanted = isPartWanted('slow-flush') && !options.only;
  const slow = isSlowWanted ? await measureSlowFlush(effort) : [];
  const sections = [...setups.flatMap((setup) => setup.sections), ...sideBySide(setups), ...slow];
  writeResults('cost', sections, !options.quick && !options.only && !options.engine);
}
