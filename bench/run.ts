// npm run bench: the CPU time of a request, against bare node:http that sends the same bytes. A full run rewrites its
// part of bench/RESULTS.md.

import { endOnSignals } from '../server/test/support/child-processes.ts';
import { measureAgainst } from './against.ts';
import { type Engine, measureSetup } from './engines.ts';
import { measureEvents } from './events/measure-events.ts';
import { machineryTable } from './machinery.ts';
import { measureOperate } from './operate.ts';
import { readBenchOptions } from './options.ts';
import { measureOverload } from './overload.ts';
import { measurePeers } from './peers.ts';
import { writePart, writeResults } from './results.ts';
import { measureScale } from './scale.ts';
import type { Scenario } from './scenarios.ts';
import { measureSlowFlush } from './slow-flush.ts';
import { measureStart } from './start.ts';
import { measureTenants } from './tenants.ts';

const { mode, ...options } = readBenchOptions(process.argv.slice(2));
endOnSignals();

const effort = options.quick
  ? { warmups: 3, rounds: 3, requests: 2_000, connections: 32, pets: 5_000 }
  : { warmups: 3, rounds: 7, requests: 4_000, connections: 32, pets: 100_000 };
// Short rounds, so that other work on the machine hits both services alike.
const effortAgainst = options.quick
  ? { warmups: 3, rounds: 7, requests: 1_000, connections: 32, pets: 10_000 }
  : { warmups: 6, rounds: 21, requests: 1_000, connections: 32, pets: 100_000 };

const isPartWanted = (part: string) => options.engine === undefined || options.engine === part;

if (mode === 'console') {
  const { measureConsole } = await import('./console.ts');
  writeResults('console', await measureConsole(), !options.quick);
} else if (mode === 'lines') {
  writePart('lines', ['## Code that exists for speed', machineryTable()]);
} else if (mode === 'against') {
  const engines = (['sqlite', 'postgres'] satisfies Engine[]).filter(isPartWanted);
  const isWanted = ({ name }: Scenario) => name.includes(options.only ?? '');
  const sections = await measureAgainst({
    commit: options.against!,
    engines,
    effort: effortAgainst,
    isWanted,
  });
  const isKept = !options.quick && !options.only && !options.engine;
  writeResults('against', sections, isKept);
} else if (mode === 'scale') {
  const usual = options.quick ? [1_000, 10_000] : [1_000, 100_000, 1_000_000];
  const sizes = options.huge ? [...usual, 10_000_000] : usual;
  writeResults('scale', await measureScale(sizes, effort), !options.quick);
} else if (mode === 'tenants') {
  const sizes = options.quick
    ? { pets: 10_000, orders: 20_000, tenants: 100 }
    : { pets: 5_000_000, orders: 10_000_000, tenants: 10_000 };
  writeResults('tenants', await measureTenants(sizes), !options.quick);
} else if (mode === 'operate') {
  const sizes = options.quick
    ? { pets: 5_000, orders: 10_000, tenants: 10 }
    : { pets: 200_000, orders: 200_000, tenants: 100 };
  const result = await measureOperate({ effort: effortAgainst, sizes });
  writeResults('operate', result, !options.quick);
} else if (mode === 'overload') {
  const offeredSeconds = options.quick ? 3 : 10;
  writeResults('overload', await measureOverload(effort, offeredSeconds), !options.quick);
} else if (mode === 'events') {
  const isQuick = options.quick === true;
  writeResults('events', await measureEvents({ isQuick }), !isQuick);
} else if (mode === 'peers') {
  writeResults('peers', await measurePeers(effort), !options.quick);
} else if (mode === 'start') {
  writeResults('start', await measureStart(options.quick ? 3 : 7), !options.quick);
} else {
  const sections: string[] = [];
  for (const setup of ['sqlite', 'postgres', 'nodes'] as const) {
    if (!isPartWanted(setup)) continue;
    // Two nodes are measured for the scenarios that have a goal.
    const isWanted = ({ name, goal }: Scenario) =>
      name.includes(options.only ?? '') && (setup !== 'nodes' || goal !== undefined);
    sections.push(...(await measureSetup(setup, effort, isWanted)));
  }
  const isSlowWanted = isPartWanted('slow-flush') && !options.only;
  if (isSlowWanted) sections.push(...(await measureSlowFlush(effort)));
  writeResults('cost', sections, !options.quick && !options.only && !options.engine);
}
