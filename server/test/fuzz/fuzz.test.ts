import { beforeAll, describe, expect, it } from 'vitest';
import { type FuzzReport, fuzz } from '../../../fuzz/fuzzer.ts';
import { newStore, type Store } from '../../../torture/store.ts';
import { repeats } from '../support/effort.ts';
import { seed } from '../support/seed.ts';
import { type Service, startService, stopService } from '../support/service.ts';

/** `npm run fuzz` sends more, and judges how long the answers take. */
const REQUESTS = repeats({ usual: 600, thorough: 20_000 });
const RESIDENT_MAX_MIB = 400;
const KEY = /psk_[0-9A-Za-z]{50}/;

describe(`${REQUESTS} hostile requests made from the OpenAPI document, seed ${seed}`, () => {
  let store: Store;
  let service: Service;
  let report: FuzzReport;
  const requestIds: string[] = [];

  beforeAll(async () => {
    store = await newStore({
      PETSTORE_ADDRESS_PER_MINUTE: '1000000000',
      PETSTORE_SIGNUP: 'open',
      PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
    });
    service = await startService(store.folder, store.environment);
    const target = {
      port: Number(new URL(service.address).port),
      pid: service.process.pid!,
      apiKey: store.apiKey,
    };
    report = await fuzz(target, {
      requests: REQUESTS,
      seed,
      slowMs: Number.POSITIVE_INFINITY,
      onAnswer: ({ headers }) => requestIds.push(headers['x-request-id']!),
    });
    await stopService(service);
    store.remove();
  });

  it('are all answered as the contract says, none with 5xx', () => {
    expect(report.failures.join('\n\n')).toBe('');
    expect(report.requests).toBeGreaterThanOrEqual(REQUESTS);
    expect(Object.keys(report.byStatus).filter((status) => status >= '500')).toEqual([]);
  });

  it('include accepted requests of most operations, and broken bytes', () => {
    expect(Object.keys(report.accepted).length).toBeGreaterThan(25);
    expect(report.byKind.bytes).toBeGreaterThan(REQUESTS / 20);
  });

  it('leave the process running and small', async () => {
    expect(report.isAlive).toBe(true);
    expect(await service.exited).toBe(0);
    expect(report.residentMaxMiB).toBeLessThan(RESIDENT_MAX_MIB);
  });

  it('leave one line of log each, without a key in any', () => {
    const lines = service.output().split('\n');
    const logged = lines.flatMap((line) => /"requestId":"([^"]+)"/.exec(line)?.[1] ?? []);
    const count = new Map<string, number>();
    for (const id of logged) count.set(id, (count.get(id) ?? 0) + 1);
    expect(requestIds.filter((id) => count.get(id) !== 1)).toEqual([]);
    expect(lines.filter((line) => KEY.test(line))).toEqual([]);
  });
});
