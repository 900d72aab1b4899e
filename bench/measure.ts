import { connect } from 'node:net';
import { answerLength, type LoadResult, load, percentile } from './load.ts';
import { cpuSeconds, startBare, type Target, treeSeconds } from './processes.ts';
import type { Scenario } from './scenarios.ts';

export interface Measurement {
  name: string;
  goal: number | undefined;
  /** CPU microseconds per request, median of the rounds. */
  service: number;
  bare: number;
  ratio: number;
  perSecond: number;
  p50: number;
  p99: number;
  /** CPU microseconds per request of each server behind the service. */
  backends: number[];
}

export interface Effort {
  /** Rounds before those that count, so that the measured code is compiled. */
  warmups: number;
  rounds: number;
  requests: number;
  connections: number;
}

export interface Round {
  /** CPU microseconds per request. */
  cost: number;
  backendCosts: number[];
  result: LoadResult;
}

/** Measures a service against bare node:http. */
export async function measure(
  scenario: Scenario,
  service: Target,
  effort: Effort,
): Promise<Measurement> {
  const bare = await startBare(await sample(scenario, service.ports[0]!));
  const turns = [service, bare].map((target) => ({ scenario, target }));
  const [ours = [], theirs = []] = await interleave(turns, effort).finally(bare.stop);
  return summarise(scenario, { ours, theirs, effort });
}

/** A target and the requests that it gets. */
export interface Turn {
  scenario: Scenario;
  target: Target;
}

/**
 * Loads the targets one after the other in every round, in random order, so that other work on the machine
 * hits all of them alike.
 */
export async function interleave(turns: readonly Turn[], effort: Effort): Promise<Round[][]> {
  const rounds: Round[][] = turns.map(() => []);
  for (let round = 0; round < effort.warmups + effort.rounds; round++) {
    for (const at of shuffled([...turns.keys()])) {
      const measured = await runRound(turns[at]!, effort, round);
      if (round >= effort.warmups) rounds[at]!.push(measured);
    }
  }
  return rounds;
}

async function runRound(turn: Turn, effort: Effort, round: number): Promise<Round> {
  const { scenario, target } = turn;
  const { ports, pids, backendPids = [] } = target;
  const { requests, connections } = effort;
  const used = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const first = 1 + round * requests;
  const request = (n: number) => scenario.request(first + n);
  let before = 0;
  let backendsBefore: number[] = [];
  const onOpen = () => {
    before = used();
    backendsBefore = backendPids.map(treeSeconds);
  };
  const result = await load({ ports, connections, requests, request, onOpen });
  const perRequest = (seconds: number) => (seconds * 1e6) / requests;
  const cost = perRequest(used() - before);
  const backendCosts = backendPids.map((pid, at) =>
    perRequest(treeSeconds(pid) - backendsBefore[at]!),
  );
  refuseOtherAnswers(scenario, result);
  return { cost, backendCosts, result };
}

function summarise(
  { name, goal }: Scenario,
  { ours, theirs, effort }: { ours: Round[]; theirs: Round[]; effort: Effort },
): Measurement {
  return {
    name,
    goal,
    service: median(ours.map(({ cost }) => cost)),
    bare: median(theirs.map(({ cost }) => cost)),
    ratio: median(ours.map(({ cost }, at) => cost / theirs[at]!.cost)),
    perSecond: median(ours.map(({ result }) => effort.requests / result.seconds)),
    p50: median(ours.map(({ result }) => percentile(result.latencies, 0.5))),
    p99: median(ours.map(({ result }) => percentile(result.latencies, 0.99))),
    backends: backendMedians(ours),
  };
}

export function backendMedians(rounds: readonly Round[]): number[] {
  const backends = rounds[0]?.backendCosts ?? [];
  return backends.map((_, at) => median(rounds.map(({ backendCosts }) => backendCosts[at]!)));
}

/** Throws on other answers than the expected one: their cost would be another. An overloaded service may shed some. */
export function refuseOtherAnswers(
  { name, status }: Pick<Scenario, 'name' | 'status'>,
  { statuses }: Pick<LoadResult, 'statuses'>,
  { mayShed = false } = {},
): void {
  const others = [...statuses.keys()].filter((each) => each !== status);
  if (statuses.has(status) && others.every((each) => mayShed && each === 503)) return;
  throw new Error(`${name}: expected ${status}, got ${JSON.stringify([...statuses])}`);
}

/** One answer of the service. The bare server sends the same bytes. */
export async function sample(scenario: Scenario, port: number) {
  const ask = () => exchange(port, scenario.request(0));
  let text = await ask();
  // The limiter admits the first request of `refused by limit`.
  if (Number(text.slice(9, 12)) !== scenario.status) text = await ask();
  const [headText = '', body = ''] = text.split('\r\n\r\n');
  const [, ...lines] = headText.split('\r\n');
  const made = /^(date|connection|keep-alive):/i;
  const headers = lines
    .filter((line) => !made.test(line))
    .map((line) => line.split(/: (.*)/).slice(0, 2));
  return { status: scenario.status, headers, body };
}

function exchange(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (chunk: string) => {
      text += chunk;
      const length = answerLength(text);
      if (length !== undefined && text.length >= length) {
        socket.destroy();
        resolve(text);
      }
    });
    socket.write(request, 'latin1');
  });
}

function shuffled(values: readonly number[]): number[] {
  const keyed = values.map((value) => ({ value, key: Math.random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
