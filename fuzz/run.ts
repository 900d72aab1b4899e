// npm run fuzz -- --requests 1000000 [--seed 42] [--lanes 16] [--slow-ms 1000]: sends hostile requests to a new service.

import { parseArgs } from 'node:util';
import { Progress } from '../torture/progress.ts';
import { Service } from '../torture/service.ts';
import { newStore } from '../torture/store.ts';
import { fuzz } from './fuzzer.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    lanes: { type: 'string', default: '16' },
    'slow-ms': { type: 'string', default: '1000' },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
if (!(requests > 0) || !Number.isInteger(seed) || !(Number(values.lanes) > 1)) {
  throw new Error('--requests and --seed take whole numbers, --lanes one above 1');
}

/** Beside the load, a health check waits no longer than this. */
const WAIT_MAX_MS = 1_500;
const store = await newStore({
  PETSTORE_ADDRESS_PER_MINUTE: '1000000000',
  PETSTORE_SIGNUP: 'open',
  PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
});
const service = await Service.start(store);
const progress = new Progress('requests', requests);
try {
  const target = { port: service.port, pid: service.pid, apiKey: store.apiKey };
  const report = await fuzz(target, {
    requests,
    seed,
    lanes: Number(values.lanes),
    slowMs: Number(values['slow-ms']),
    onProgress: (done) => {
      if (done % 500 === 0) progress.show(Math.min(done, requests));
    },
  });
  progress.end();
  const { failures, accepted, ...figures } = report;
  const isSound = service.isRunning && report.isAlive;
  if (report.waitMaxMs > WAIT_MAX_MS) failures.push(`/healthz took ${report.waitMaxMs} ms`);
  console.log(
    JSON.stringify({ seed, ...figures, operationsAccepted: Object.keys(accepted).length }, null, 2),
  );
  for (const failure of failures) console.log(`\n${failure}`);
  if (!isSound) console.log(`the service did not survive:\n${service.output}`);
  process.exitCode = failures.length > 0 || !isSound ? 1 : 0;
} finally {
  await service.end('SIGTERM');
  store.remove();
}
