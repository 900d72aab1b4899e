// A crowd of clients that never pause, six times as many as the service has room for. The service must shed the excess
// with 503 and keep its goodput. On SQLite each tick completes the writes that it has read, so there may be no excess.

import { fileURLToPath } from 'node:url';
import { load } from '../../bench/load.ts';
import { Service } from '../service.ts';
import { newStore } from '../store.ts';

export interface GoodputReport {
  /** Writes per second with a hundred clients, which wait briefly even on a slow machine. */
  alonePerSecond: number;
  /** Writes per second that the service completes for the crowd. */
  crowdedPerSecond: number;
  shed: number;
  faults: string[];
}

const MAIN = fileURLToPath(new URL('narrow-service.ts', import.meta.url));
const RUNNING_MAX = 500;
const CLIENTS = 100;
const CROWD = 3_000;
const SECONDS = 5;
const REQUESTS_MAX = 100_000;
/** The share of its throughput that the service keeps at least. */
const SHARE_MIN = 0.25;
/** One to warm up, one alone and one in the crowd. */
export const GOODPUT_RUNS = 3;

export async function measureGoodput(
  environment: Record<string, string>,
  onRun: (done: number) => void = () => undefined,
): Promise<GoodputReport> {
  const store = await newStore(environment);
  const service = await Service.start({
    main: MAIN,
    environment: { ...store.environment, RUNNING_MAX: String(RUNNING_MAX) },
  });
  try {
    let sent = 0;
    let runs = 0;
    const request = () => {
      sent += 1;
      return createCategory(store.apiKey, `category ${sent}`);
    };
    const run = async (connections: number): Promise<GoodputRun> => {
      const { statuses, seconds } = await load({
        ports: [service.port],
        connections,
        requests: REQUESTS_MAX,
        secondsMax: SECONDS,
        request,
      });
      runs += 1;
      onRun(runs);
      return { statuses, perSecond: (statuses.get(201) ?? 0) / seconds };
    };
    await run(CLIENTS);
    const alone = await run(CLIENTS);
    const crowded = await run(CROWD);
    return {
      alonePerSecond: alone.perSecond,
      crowdedPerSecond: crowded.perSecond,
      shed: crowded.statuses.get(503) ?? 0,
      faults: judgeGoodput(alone, crowded, {
        mustShed: environment.PETSTORE_DATABASE_URL !== undefined,
      }),
    };
  } finally {
    await service.end('SIGKILL');
    store.remove();
  }
}

/** The answers to a load, and how many of its writes the service completed per second. */
export interface GoodputRun {
  statuses: ReadonlyMap<number, number>;
  perSecond: number;
}

export function judgeGoodput(
  alone: GoodputRun,
  crowded: GoodputRun,
  { mustShed }: { mustShed: boolean },
): string[] {
  if (alone.perSecond === 0) return ['completed no write, even without the crowd'];
  const share = crowded.perSecond / alone.perSecond;
  const others = [...alone.statuses.keys(), ...crowded.statuses.keys()].filter(
    (status) => status !== 201 && status !== 503,
  );
  return [
    ...others.map((status) => `answered ${status}`),
    ...(alone.statuses.has(503) ? ['shed requests although it had room for all of them'] : []),
    ...(mustShed && !crowded.statuses.has(503)
      ? ['shed no request although it had no room for all of them']
      : []),
    ...(share < SHARE_MIN ? [`goodput fell to ${Math.round(share * 100)} %`] : []),
  ];
}

function createCategory(apiKey: string, name: string): string {
  const body = JSON.stringify({ name });
  return (
    `POST /v1/categories HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}
