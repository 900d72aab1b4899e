// npm run torture -- --cycles 1000: breaks the service in every way that it must survive.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endOnSignals } from '../server/test/support/child-processes.ts';
import { startPostgres, startRedis } from '../server/test/support/servers.ts';
import { breakBackends } from './backends.ts';
import { CYCLES_PER_STORE, crash } from './crash.ts';
import { breakDeliveries } from './deliveries.ts';
import { drain, judgeDrain } from './drain.ts';
import { onCluster, onPostgres, onSqlite } from './engines.ts';
import { failCalls } from './faults/failing-calls.ts';
import { failUnderLoad } from './faults/failing-load.ts';
import { type PartName, readTortureOptions } from './options.ts';
import { GOODPUT_RUNS, measureGoodput } from './overload/goodput.ts';
import { heatPet, judgeHotPet, PHASES, p99 } from './overload/hot-pet.ts';
import { conclude, Progress, quantile } from './progress.ts';
import { race } from './race.ts';
import { setSeed } from './random.ts';
import { revokeKeys } from './revocation.ts';
import { newStore } from './store.ts';
import { cutStreams } from './streams/cut-streams.ts';
import { breakTopologies } from './topologies/topologies.ts';

const CROWD = 1_000;

const options = readTortureOptions(process.argv.slice(2));
const { parts, cycles, writers, engine: engineName, seed } = options;
const runs: Record<PartName, () => Promise<boolean>> = {
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
  topologies: () => breakTopologies(cycles),
  tests: runThoroughTests,
};
endOnSignals();
console.log(`seed ${seed}`);
for (const name of parts) {
  // Each part begins anew, so that it can be repeated alone.
  setSeed(seed);
  const isSound = await runs[name]().catch((err: unknown) => {
    console.error(`${name} broke off:`, err);
    return false;
  });
  if (!isSound) process.exitCode = 1;
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
  const isPostgres = engineName === 'postgres';
  await using engine = isPostgres ? await onCluster() : onSqlite();
  const total = { kills: 0, events: 0, delivered: 0, repeated: 0 };
  const faults: string[] = [];
  while (total.kills < cycles && faults.length === 0) {
    const store = await engine.newStore(environment);
    const report = await breakDeliveries({
      store,
      nodes: isPostgres ? 3 : 1,
      alsoBreak: engine.alsoBreak,
      // Each crash may forfeit a twentieth of the day's requests.
      cycles: Math.min(cycles - total.kills, CYCLES_PER_STORE),
      webhooks: 6,
      writers: 4,
      onCycle: (done) => progress.show(total.kills + done),
    }).finally(store.remove);
    faults.push(...report.faults);
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += report[name];
  }
  return conclude(
    progress,
    `deliveries on ${engineName}: ${total.kills} kills, ${total.events} events, ${total.delivered} delivered, ` +
      `${total.repeated} of them again after a kill`,
    faults,
  );
}

async function tortureByCuts(): Promise<boolean> {
  const cuts = cycles * 10;
  const progress = new Progress('streams', cuts);
  const isPostgres = engineName === 'postgres';
  await using engine = isPostgres ? await onCluster() : onSqlite();
  const store = await engine.newStore();
  const report = await cutStreams({
    store,
    nodes: isPostgres ? 3 : 1,
    cuts,
    readers: 16,
    restarts: Math.ceil(cycles / 20),
    onProgress: (done) => progress.show(done),
  }).finally(store.remove);
  return conclude(
    progress,
    `streams on ${engineName}: ${report.cuts} cuts, ${report.restarts} restarts, ${report.events} events for each of 16 readers`,
    report.faults,
  );
}

async function tortureByCrash(): Promise<boolean> {
  const progress = new Progress('crash', cycles);
  await using engine = engineName === 'postgres' ? await onPostgres() : onSqlite();
  const report = await crash({
    ...engine,
    cycles,
    writers,
    onCycle: (done, { kills }) => progress.show(done, `${kills} kills`),
  });
  if (report.keptIn) console.error(`  the store is kept in ${report.keptIn}`);
  return conclude(
    progress,
    `crash on ${engineName}: ${report.cycles} cycles, ${report.kills} kills, ` +
      `${report.acknowledged} acknowledged, ${report.refused} refused, ${report.unknown} unknown; ` +
      `ready after ${quantile(report.startMs, 0.5)} ms (median), ${quantile(report.startMs, 0.99)} ms (p99)`,
    report.faults,
  );
}

async function tortureByCalls(): Promise<boolean> {
  const plans = (['EIO', 'ENOSPC'] as const).flatMap((error) =>
    [false, true].map((isOnward) => ({ error, isOnward })),
  );
  const rounds = Math.ceil(cycles / 5);
  const progress = new Progress('calls', plans.length + rounds);
  const store = await newStore();
  const one = await failCalls(store, plans, (done) => progress.show(done)).finally(store.remove);
  const busy = await newStore();
  const many = await failUnderLoad(busy, rounds, (done) =>
    progress.show(plans.length + done),
  ).finally(busy.remove);
  return conclude(
    progress,
    `calls: ${one.failed + many.failed} failed on purpose, ${one.exits + many.exits} clean exits`,
    [...one.faults, ...many.faults],
  );
}

async function tortureByDrain(): Promise<boolean> {
  const restarts = Math.max(4, Math.ceil(cycles / 10));
  const plans = [
    { nodes: 4, atOnce: 3, clients: writers, pauseMs: 0 },
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
    writers,
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
  await using cleanUp = new AsyncDisposableStack();
  const [postgres, redis] = await Promise.all([startPostgres({ isDurable: true }), startRedis()]);
  cleanUp.defer(async () => void (await Promise.all([postgres.stop(), redis.stop()])));
  const urls = { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url };
  const engines = { SQLite: {}, 'PostgreSQL and Redis': urls };
  let isSound = true;
  for (const [name, environment] of Object.entries(engines)) {
    const progress = new Progress(`goodput on ${name}`, GOODPUT_RUNS);
    const { alonePerSecond, crowdedPerSecond, shed, faults } = await measureGoodput(
      environment,
      (done) => progress.show(done),
    );
    const rates = [crowdedPerSecond, alonePerSecond].map(Math.round).join(' of ');
    const summary = `goodput on ${name}: ${rates} writes a second in a crowd, ${shed} requests shed`;
    isSound = conclude(progress, summary, faults) && isSound;
  }
  return isSound;
}

async function tortureByHotPet(): Promise<boolean> {
  const progress = new Progress('hot pet', PHASES);
  const report = await heatPet({
    buyers: 60,
    secondsEach: 15,
    onPhase: (done) => progress.show(done),
  });
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
