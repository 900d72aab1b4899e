// npm run torture -- --only topologies

import { crash } from '../crash.ts';
import { onPostgres } from '../engines.ts';
import { conclude, Progress, quantile } from '../progress.ts';
import { race } from '../race.ts';
import { failOver, restartPooler, type TopologyOptions } from './postgres.ts';
import { breakCluster, breakSentinels } from './valkey.ts';

export async function breakTopologies(cycles: number): Promise<boolean> {
  const rounds = Math.ceil(cycles / 20);
  let isSound = true;
  for (const [name, breakMasters] of Object.entries({
    Cluster: breakCluster,
    Sentinel: breakSentinels,
  })) {
    const progress = new Progress(name, rounds);
    const report = await breakMasters(rounds, (done) => progress.show(done));
    const summary =
      `${name}: ${report.failovers} failovers, ${report.slotsMoved} slots moved, ${report.counted} requests counted on ` +
      `other masters; shared again ${quantile(report.sharedAfterMs, 0.5)} ms (median), ` +
      `${quantile(report.sharedAfterMs, 1)} ms (most) after a promotion`;
    isSound = conclude(progress, summary, report.faults) && isSound;
  }
  const rest = [breakServers, breakBehindPgBouncer];
  for (const breakMore of rest) isSound = (await breakMore(Math.ceil(cycles / 10))) && isSound;
  return isSound;
}

/** What `--only crash` and `--only race` do, through PgBouncer. */
async function breakBehindPgBouncer(rounds: number): Promise<boolean> {
  let isSound = true;
  for (const pooling of ['session', 'transaction'] as const) {
    const crashes = new Progress(`crash, ${pooling} pooling`, rounds);
    await using engine = await onPostgres(pooling);
    const onCycle = (done: number) => crashes.show(done);
    const { newStore } = engine;
    const crashed = await crash({ newStore, cycles: rounds, writers: 16, onCycle });
    const summary = `crash, ${pooling} pooling: ${crashed.kills} kills, ${crashed.acknowledged} acknowledged`;
    isSound = conclude(crashes, summary, crashed.faults) && isSound;
    const races = new Progress(`race, ${pooling} pooling`, rounds * 10);
    const onRound = (done: number) => races.show(done);
    const raced = await race({ nodes: 3, rounds: rounds * 10, crowd: 300, pooling, onRound });
    const sold = `race, ${pooling} pooling: ${raced.rounds} rounds and a crowd, ${raced.sold} units sold`;
    isSound = conclude(races, sold, raced.faults) && isSound;
  }
  return isSound;
}

async function breakServers(rounds: number): Promise<boolean> {
  const topologies = {
    failover: failOver,
    'failover behind PgBouncer with session pooling': (given: TopologyOptions) =>
      failOver({ ...given, pooling: 'session' }),
    'failover behind PgBouncer with transaction pooling': (given: TopologyOptions) =>
      failOver({ ...given, pooling: 'transaction' }),
    'PgBouncer with session pooling': (given: TopologyOptions) => restartPooler('session', given),
    'PgBouncer with transaction pooling': (given: TopologyOptions) =>
      restartPooler('transaction', given),
  };
  let isSound = true;
  for (const [name, breakTopology] of Object.entries(topologies)) {
    const progress = new Progress(name, rounds);
    const onRound = (done: number) => progress.show(done);
    const report = await breakTopology({ nodes: 3, rounds, writers: 30, backMs: 5_000, onRound });
    const summary =
      `${name}: ${rounds} times, ${report.acknowledged} acknowledged, ${report.unavailable} answered 503; ` +
      `writes went on after ${quantile(report.backMs, 0.5)} ms (median), ${quantile(report.backMs, 1)} ms (most)`;
    isSound = conclude(progress, summary, report.faults) && isSound;
  }
  return isSound;
}
