import { readOptions, refuse } from '../scripts/tool-options.ts';
import { endOnSignals } from '../server/test/support/child-processes.ts';
import { Progress } from '../torture/progress.ts';
import { Service } from '../torture/service.ts';
import { newStore } from '../torture/store.ts';
import { fuzz } from './fuzzer.ts';

const HELP = `npm run fuzz -- [--requests N] [--seed N] [--lanes N] [--slow-ms N]

Sends hostile requests to a new service.

  --requests  how many (default 20000)
  --seed      repeats the requests of another run
  --lanes     connections, each with its own workspace; at least 2, because each tries the records of another (default 16)
  --slow-ms   an answer that takes longer is a fault (default 1000)
`;
const options = {
  requests: { type: 'string', default: '20000' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  lanes: { type: 'string', default: '16' },
  'slow-ms': { type: 'string', default: '1000' },
} as const;
const { values } = readOptions({ options }, HELP);
const requests = Number(values.requests);
const seed = Number(values.seed);
for (const [name, text] of Object.entries(values)) {
  if (!/^\d{1,9}$/.test(text)) refuse(`no number: --${name} ${text}`, HELP);
}
if (requests < 1) refuse('--requests is at least 1', HELP);
if (Number(values.lanes) < 2) refuse('--lanes is at least 2', HELP);
endOnSignals();

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
  if (Object.keys(accepted).length === 0) failures.push('no valid request was accepted');
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
