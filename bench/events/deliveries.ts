import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { readConfig } from '../../server/src/config.ts';
import { openStore } from '../../server/src/stores.ts';
import { cpuSeconds, type Target } from '../processes.ts';
import type { PreparedStore } from '../store.ts';
import { call } from './call.ts';
import { until } from './until.ts';

export interface DeliveryFigures {
  webhooks: number;
  batchMax: number;
  requestsPerSecond: number;
  eventsPerSecond: number;
  /** CPU microseconds of the node for each request. */
  cost: number;
  faults: number;
}

const UNLIMITED = 1_000_000;

/** Sends the last events of the feed to each of some webhooks, as fast as their receiver, which is this process, takes it. */
export async function measureDeliveries(
  service: Target,
  store: PreparedStore,
  { webhooks, batchMax, events }: { webhooks: number; batchMax: number; events: number },
): Promise<DeliveryFigures> {
  using cleanUp = new DisposableStack();
  const receiver = await startReceiver();
  cleanUp.defer(receiver.stop);
  const ids: number[] = [];
  for (let at = 0; at < webhooks; at++) {
    const body = { url: `${receiver.url}/${at}`, batchMax, perSecondMax: 100 };
    const { id, secret } = await call(service, store.key, 'POST', '/webhooks', body);
    receiver.secrets.set(`/${at}`, secret as string);
    ids.push(id as number);
  }
  await liftPace(store, ids);
  const last = Number((await call(service, store.key, 'GET', `/webhooks/${ids[0]}`)).cursor);
  const [cpuBefore, startedAt] = [cpuSeconds(service.pids[0]!), performance.now()];
  for (const id of ids) {
    await call(service, store.key, 'POST', `/webhooks/${id}/replay`, {
      after: String(last - events),
    });
  }
  await until(events * webhooks, () => receiver.events);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuSeconds(service.pids[0]!) - cpuBefore;
  for (const id of ids) await call(service, store.key, 'DELETE', `/webhooks/${id}`);
  const { requests, faults } = receiver;
  return {
    webhooks,
    batchMax,
    requestsPerSecond: requests / seconds,
    eventsPerSecond: receiver.events / seconds,
    cost: (cpu * 1e6) / requests,
    faults,
  };
}

/** Beyond what the API allows, so that the pace does not decide. */
async function liftPace(prepared: PreparedStore, ids: readonly number[]): Promise<void> {
  const { store } = await openStore(readConfig(prepared.environment));
  await store.transact(async (tx) => {
    for (const id of ids) {
      const webhook = await tx.webhooks.findAndLock(prepared.workspaceId, id);
      await tx.webhooks.update({ ...webhook!, perSecondMax: UNLIMITED });
    }
  });
  await store.close();
}

/** Checks order and signatures. */
async function startReceiver() {
  const next = new Map<string, number>();
  const state = { url: '', requests: 0, events: 0, faults: 0, secrets: new Map<string, string>() };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    response.end();
    const path = request.url!;
    try {
      new Webhook(state.secrets.get(path)!).verify(body, request.headers as Record<string, string>);
    } catch {
      state.faults += 1;
    }
    const message = JSON.parse(body);
    const events = message.type === 'events.batch' ? message.data.events : [message];
    for (const { sequence } of events as { sequence: number }[]) {
      if (sequence !== (next.get(path) ?? sequence)) state.faults += 1;
      next.set(path, sequence + 1);
    }
    state.requests += 1;
    state.events += events.length;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return Object.assign(state, { stop });
}
