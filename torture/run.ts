// npm run torture -- --cycles 1000: breaks the service in every way that it must survive.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startPostgres, startRedis } from '../server/test/support/servers.ts';
import { breakBackends } from './backends.ts';
import { CYCLES_PER_STORE, crash } from './crash.ts';
import { breakDeliveries } from './deliveries.ts';
import { drain, judgeDrain } from './drain.ts';
import { onCluster, onPostgres, onSqlite } from './engines.ts';
import { failCalls } from './faults/failing-calls.ts';
import { failUnderLoad } from './faults/failing-load.ts';
import { measureGoodput } from './goodput.ts';
import { heatPet, judgeHotPet, p99 } from './hot-pet.ts';
import { Progress } from './progress.ts';
import { race } from './race.ts';
import { revokeKeys } from './revocation.ts';
import { newStore } from './store.ts';
import { cutStreams } from './streams/cut-streams.ts';

const HELP = `npm run torture -- [--cycles N] [--only crash|calls|drain|backends|race|goodput|revocation|deliveries|streams|hot-pet|tests] [--engine sqlite|postgres] [--writers N]

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
  tests     all tests, with more kills, larger crowds and longer searches
`;
const FAULTS_SHOWN = 20;
const CROWD = 1_000;

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '100' },
    writers: { type: 'string', default: '16' },
    engine: { type: 'string', default: 'sqlite' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
const cycles = Number(values.cycles);
const parts: Record<string, () => Promise<boolean>> = {
  crash: tortureByCrash,
  calls: tortureByCalls,
  drain: tortureByDrain,
  backends: tortureByBackends,
  race: tortureByRace,
  goodput: tortureByCrowd,
  revocation: tortureByRevocation,
  deliveries: tortureByDeliveries,
  streams: tortureByCuts,
  'hot-pet': tortureByHotPet,
  tests: runThoroughTests,
};
const chosen = values.only === undefined ? Object.keys(parts) : [values.only];

const isUnderstood =
  chosen.every((name) => Object.hasOwn(parts, name)) &&
  ['sqlite', 'postgres'].includes(values.engine) &&
  [values.cycles, values.writers].every((text) => /^[1-9]\d*$/.test(text));

if (values.help || !isUnderstood) {
  process.stdout.write(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  for (const name of chosen) {
    if (!(await parts[name]!())) process.exitCode = 1;
  }
}

async function runThoroughTests(): Promise<boolean> {
  const child = spawn('npx', ['vitest', 'run'], {
    env: { ...process.env, THOROUGH: '1' },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

async function tortureByDeliveries(): Promise<boolean> {
  const progress = new Progress('deliveries', cycles);
  const environment = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_WEBHOOK_VERIFY: 'none' };
  const engine = values.engine === 'postgres' ? await onCluster() : onSqlite();
  const total = { kills: 0, events: 0, delivered: 0, repeated: 0 };
  const faults: string[] = [];
  while (total.kills < cycles && faults.length === 0) {
    const store = await engine.newStore(environment);
    const report = await breakDeliveries({
      store,
      nodes: values.engine === 'postgres' ? 3 : 1,
      alsoBreak: engine.alsoBreak,
      // Each crash may forfeit a twentieth of the day's requests.
      cycles: Math.min(cycles - total.kills, CYCLES_PER_STORE),
      webhooks: 6,
      writers: 4,
      onCycle: (done) => progress.show(total.kills + done),
    });
    store.remove();
    faults.push(...report.faults);
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += report[name];
  }
  await engine.close();
  return conclude(
    progress,
    `deliveries on ${values.engine}: ${total.kills} kills, ${total.events} events, ${total.delivered} delivered, ` +
      `${total.repeated} of them again after a kill`,
    faults,
  );
}

async function tortureByCuts(): Promise<boolean> {
  const cuts = cycles * 10;
  const progress = new Progress('streams', cuts);
  const isPostgres = values.engine === 'postgres';
  const engine = isPostgres ? await onCluster() : onSqlite();
  const store = await engine.newStore();
  const report = await cutStreams({
    store,
    nodes: isPostgres ? 3 : 1,
    cuts,
    readers: 16,
    restarts: Math.ceil(cycles / 20),
    onProgress: (done) => progress.show(done),
  });
  store.remove();
  await engine.close();
  return conclude(
    progress,
    `streams on ${values.engine}: ${report.cuts} cuts, ${report.restarts} restarts, ${report.events} events for each of 16 readers`,
    report.faults,
  );
}

async function tortureByCrash(): Promise<boolean> {
  const progress = new Progress('crash', cycles);
  const engine = values.engine === 'postgres' ? await onPostgres() : onSqlite();
  const report = await crash({
    ...engine,
    cycles,
    writers: Number(values.writers),
    onCycle: (done, { kills }) => progress.show(done, `${kills} kills`),
  });
  await engine.close();
  return conclude(
    progress,
    `crash on ${values.engine}: ${report.cycles} cycles, ${report.kills} kills, ` +
      `${report.acknowledged} acknowledged, ${report.refused} refused, ${report.unknown} unknown; ` +
      `ready after ${quantile(report.startMs, 0.5)} ms (median), ${quantile(report.startMs, 0.99)} ms (p99)`,
    report.faults,
  );
}

async function tortureByCalls(): Promise<boolean> {
  const progress = new Progress('calls', 4);
  const store = await newStore();
  const plans = (['EIO', 'ENOSPC'] as const).flatMap((error) =>
    [false, true].map((isOnward) => ({ error, isOnward })),
  );
  const one = await failCalls(store, plans);
  store.remove();
  const busy = await newStore();
  const many = await failUnderLoad(busy, Math.ceil(cycles / 5));
  busy.remove();
  return conclude(
    progress,
    `calls: ${one.failed + many.failed} failed on purpose, ${one.exits + many.exits} clean exits`,
    [...one.faults, ...many.faults],
  );
}

async function tortureByDrain(): Promise<boolean> {
  const restarts = Math.max(4, Math.ceil(cycles / 10));
  const plans = [
    { nodes: 4, atOnce: 3, clients: Number(values.writers), pauseMs: 0 },
    { nodes: 3, atOnce: 2, clients: 200, pauseMs: 0 },
    { nodes: 1, atOnce: 1, clients: 16, pauseMs: 100 },
  ];
  let isSound = true;
  for (const plan of plans) {
    const name = `drain of ${plan.nodes} nodes under ${plan.clients} clients`;
    const progress = new Progress(name, restarts);
    const onRestart = (done: number) => progress.show(done);
    const report = await drain({ ...plan, restarts, onRestart });
    const summary =
      `${name}: ${report.restarts} restarts, ${report.answered} answered; ` +
      `stopped after ${quantile(report.stopMs, 0.5)} ms (median), ${quantile(report.stopMs, 1)} ms (most)`;
    isSound = conclude(progress, summary, judgeDrain(report)) && isSound;
  }
  return isSound;
}

async function tortureByBackends(): Promise<boolean> {
  const [redisKills, postgresRestarts] = [Math.ceil(cycles / 2), Math.ceil(cycles / 5)];
  const progress = new Progress('backends', redisKills + postgresRestarts);
  const report = await breakBackends({
    nodes: 2,
    postgresRestarts,
    redisKills,
    writers: Number(values.writers),
    limits: { answerMs: 2_000, backMs: 1_000 },
    onBreak: (done) => progress.show(done),
  });
  return conclude(
    progress,
    `backends: ${report.postgresRestarts} restarts of PostgreSQL, ${report.redisKills} kills of Redis, ` +
      `${report.acknowledged} acknowledged, ${report.refused} refused, ${report.unavailable} answered 503; ` +
      `slowest answer ${Math.round(report.slowestMs)} ms; back after ${quantile(report.backMs, 0.5)} ms (median), ` +
      `${quantile(report.backMs, 1)} ms (most)`,
    report.faults,
  );
}

async function tortureByRace(): Promise<boolean> {
  let isExact = true;
  for (const nodes of [2, 4]) {
    const rounds = cycles * 5;
    const progress = new Progress(`race of ${nodes} nodes`, rounds);
    const { sold, unknown, faults } = await race({
      nodes,
      rounds,
      crowd: CROWD,
      onRound: (done) => progress.show(done),
    });
    const summary = `race: ${nodes} nodes, ${rounds} rounds and a crowd, ${sold} units sold, ${unknown} outcomes unknown`;
    isExact = conclude(progress, summary, faults) && isExact;
  }
  return isExact;
}

async function tortureByCrowd(): Promise<boolean> {
  const [postgres, redis] = await Promise.all([startPostgres({ isDurable: true }), startRedis()]);
  const urls = { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url };
  const engines = { SQLite: {}, 'PostgreSQL and Redis': urls };
  let isSound = true;
  for (const [name, environment] of Object.entries(engines)) {
    const progress = new Progress(`goodput on ${name}`, 1);
    const { alonePerSecond, crowdedPerSecond, shed, faults } = await measureGoodput(environment);
    const rates = [crowdedPerSecond, alonePerSecond].map(Math.round).join(' of ');
    const summary = `goodput on ${name}: ${rates} writes a second in a crowd, ${shed} requests shed`;
    isSound = conclude(progress, summary, faults) && isSound;
  }
  await Promise.all([postgres.stop(), redis.stop()]);
  return isSound;
}

async function tortureByHotPet(): Promise<boolean> {
  const progress = new Progress('hot pet', 1);
  const report = await heatPet({ buyers: 60, secondsEach: 15 });
  const { quiet, locked, spread, hot } = report;
  const seen = {
    quiet,
    locked: locked.experience,
    spread: spread.experience,
    hot: hot.experience,
  };
  const figures = Object.entries(seen).map(
    ([name, { orders, reads }]) =>
      `${name}: p99 of ${orders.length} orders ${p99(orders)} ms, of reads ${p99(reads)} ms`,
  );
  const summary = `hot pet: ${figures.join('; ')}; ${hot.sales.sold} sold to the crowd`;
  return conclude(progress, summary, judgeHotPet(report));
}

async function tortureByRevocation(): Promise<boolean> {
  const keys = Math.ceil(cycles / 10);
  const progress = new Progress('revocation', keys);
  const { noticedMs, faults } = await revokeKeys({ keys, onKey: (done) => progress.show(done) });
  return conclude(
    progress,
    `revocation: ${keys} keys, refused after ${quantile(noticedMs, 0.5)} ms (median), ${quantile(noticedMs, 1)} ms (most)`,
    faults,
  );
}

function conclude(progress: Progress, summary: string, faults: readonly string[]): boolean {
  progress.end();
  for (const fault of faults.slice(0, FAULTS_SHOWN)) console.error(`  ${fault}`);
  console.log(`${summary}; ${faults.length} faults`);
  return faults.length === 0;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
