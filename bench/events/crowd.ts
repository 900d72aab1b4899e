import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../measure.ts';
import type { Target } from '../processes.ts';
import { call } from './call.ts';
import type { Tenant } from './streams.ts';

export interface CrowdFigures {
  webhooks: number;
  /** From the answer of a write until its event is at a healthy receiver. */
  lagP50Ms: number;
  lagP99Ms: number;
  missing: number;
}

const WEBHOOKS_EACH = 20;
const WRITES = 200;
const WRITE_EVERY_MS = 50;
const SETTLE_MS = 10_000;

/** Of each four webhooks two hang, one answers 500 and one is healthy. How late are the healthy ones? */
export async function measureCrowd(
  service: Target,
  tenants: readonly Tenant[],
): Promise<CrowdFigures> {
  const arrived = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, conduct, at] = request.url!.split('/');
    if (conduct === 'hangs') return;
    response.statusCode = conduct === 'fails' ? 500 : 200;
    response.end();
    const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (conduct === 'healthy') arrived.set(`${at} ${data.category?.name}`, performance.now());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const ids: (readonly [key: string, id: unknown])[] = [];
  for (const [at, { writeKey }] of tenants.entries()) {
    for (let number = 0; number < WEBHOOKS_EACH; number++) {
      const conduct = ['hangs', 'hangs', 'fails', 'healthy'][number % 4];
      const body = { url: `${url}/${conduct}/${at}-${number}`, perSecondMax: 100 };
      ids.push([writeKey, (await call(service, writeKey, 'POST', '/webhooks', body)).id]);
    }
  }
  const answered = new Map<string, number>();
  for (let write = 0; write < WRITES; write++) {
    const at = write % tenants.length;
    const name = `crowd ${write}`;
    await call(service, tenants[at]!.writeKey, 'POST', '/categories', { name });
    for (let number = 3; number < WEBHOOKS_EACH; number += 4) {
      answered.set(`${at}-${number} ${name}`, performance.now());
    }
    await pause(WRITE_EVERY_MS);
  }
  const isThere = () => [...answered.keys()].every((name) => arrived.has(name));
  for (let waited = 0; waited < SETTLE_MS && !isThere(); waited += 100) await pause(100);
  for (const [key, id] of ids) await call(service, key, 'DELETE', `/webhooks/${id}`);
  server.closeAllConnections();
  server.close();
  const lags = [...answered]
    .filter(([name]) => arrived.has(name))
    .map(([name, at]) => Math.max(0, arrived.get(name)! - at));
  return {
    webhooks: ids.length,
    lagP50Ms: quantile(lags, 0.5),
    lagP99Ms: quantile(lags, 0.99),
    missing: answered.size - lags.length,
  };
}
