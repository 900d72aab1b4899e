// npm run bench: what a request costs, as CPU time of the service against bare node:http that sends the
// same bytes. `--quick` is for a first look, `--scale` grows the store, `--peers` measures what else one
// could run; the full run rewrites bench/RESULTS.md.

import { parseArgs } from 'node:util';
import { measureEngine } from './engines.ts';
import { measurePeers } from './peers.ts';
import { writeResults } from './results.ts';
import { measureScale } from './scale.ts';
import { measureSlowFlush } from './slow-flush.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    scale: { type: 'boolean' },
    peers: { type: 'boolean' },
    only: { type: 'string' },
    engine: { type: 'string' },
  },
});

const effort = options.quick
  ? { rounds: 3, requests: 3_000, connections: 32, pets: 10_000 }
  : { rounds: 7, requests: 10_000, connections: 32, pets: 100_000 };

const isWanted = (part: string) => options.engine === undefined || options.engine === part;

if (options.scale) {
  const sizes = options.quick ? [1_000, 10_000] : [1_000, 100_000, 1_000_000];
  writeResults('scale', await measureScale(sizes, effort), !options.quick);
} else if (options.peers) {
  writeResults('peers', await measurePeers(effort), !options.quick);
} else {
  const sections = [
    ...(isWanted('sqlite') ? await measureEngine('sqlite', effort, options.only) : []),
    ...(isWanted('postgres') ? await measureEngine('postgres', effort, options.only) : []),
    ...(isWanted('slow-flush') && !options.only ? await measureSlowFlush(effort) : []),
  ];
  writeResults('cost', sections, !options.quick && !options.only && !options.engine);
}
