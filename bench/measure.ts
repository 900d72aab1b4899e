import { connect } from 'node:net';
import { answerLength, type LoadResult, load, percentile } from './load.ts';
import { cpuSeconds, type Measured, startBare } from './processes.ts';
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
  backends?: number[];
}

export interface Effort {
  rounds: number;
  requests: number;
  connections: number;
}

/** How often each is loaded before it is measured. */
export const WARMINGS = 3;

/** Service and bare node:http take turns, so that whatever else the machine does hits both alike. */
export async function measure(
  scenario: Scenario,
  service: Measured,
  effort: Effort,
): Promise<Measurement> {
  const bare = await startBare(await sample(scenario, service.ports[0]!));
  let sent = 1;
  const run = async (target: Measured, requests: number) => {
    const first = sent;
    sent += requests;
    const used = () => target.pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
    const before = used();
    const result = await load({
      ports: target.ports,
      connections: effort.connections,
      requests,
      request: (n) => scenario.request(first + n),
    });
    const cost = ((used() - before) * 1e6) / requests;
    return { cost, result };
  };
  // Compiled code is what a service runs on for all but its first seconds.
  for (let warming = 0; warming < WARMINGS; warming++) {
    await run(service, effort.requests);
    await run(bare, effort.requests);
  }
  const rounds: { service: number; bare: number; result: LoadResult }[] = [];
  for (let round = 0; round < effort.rounds; round++) {
    const ours = await run(service, effort.requests);
    const theirs = await run(bare, effort.requests);
    refuseOtherAnswers(scenario, ours.result);
    rounds.push({ service: ours.cost, bare: theirs.cost, result: ours.result });
  }
  await bare.stop();
  return summarise(scenario, rounds, effort);
}

function summarise(
  { name, goal }: Scenario,
  rounds: { service: number; bare: number; result: LoadResult }[],
  effort: Effort,
): Measurement {
  return {
    name,
    goal,
    service: median(rounds.map((round) => round.service)),
    bare: median(rounds.map((round) => round.bare)),
    ratio: median(rounds.map((round) => round.service / round.bare)),
    perSecond: median(rounds.map(({ result }) => effort.requests / result.seconds)),
    p50: median(rounds.map(({ result }) => percentile(result.latencies, 0.5))),
    p99: median(rounds.map(({ result }) => percentile(result.latencies, 0.99))),
  };
}

/** A figure of something else than what was asked for is no figure. */
function refuseOtherAnswers({ name, status }: Scenario, { statuses }: LoadResult): void {
  if (statuses.size === 1 && statuses.has(status)) return;
  throw new Error(`${name}: expected ${status}, got ${JSON.stringify([...statuses])}`);
}

/** One real answer, to be sent byte for byte by the bare server. */
async function sample(scenario: Scenario, port: number) {
  const ask = () => exchange(port, scenario.request(0));
  let text = await ask();
  // The first of these requests may still be admitted.
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

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
