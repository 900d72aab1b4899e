import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { generateApiKey } from '../../src/lib/api-key.ts';
import { count } from '../operations/account/new-workspace.ts';
import { type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const WINDOW_MS = 60_000;
/** A twentieth of Free's minute. */
const FORFEIT_MAX = 3;

const folders: (() => void)[] = [];
let key: string;
let folder: string;

beforeEach(() => {
  const temporary = temporaryFolder();
  folders.push(temporary.remove);
  folder = temporary.path;
  key = generateApiKey().key;
});
afterAll(() => {
  for (const remove of folders) remove();
});

function start(): Promise<Service> {
  return startService(folder, { PETSTORE_BOOTSTRAP_KEY: key });
}

/** Ends it without a word of warning. */
async function crash(service: Service): Promise<void> {
  service.process.kill('SIGKILL');
  await service.exited;
}

async function get({ address }: Service, path = '/v1/categories') {
  const response = await fetch(address + path, { headers: { authorization: `Bearer ${key}` } });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as AnyBody,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
type AnyBody = any;

/** The statuses of so many requests at once; of those that were cut off, none. */
async function burst(service: Service, size: number, onAnswer = () => {}) {
  const one = async () => {
    const { status } = await get(service);
    onAnswer();
    return status;
  };
  const answers = await Promise.allSettled(Array.from({ length: size }, one));
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}

describe('a limit', () => {
  it('is kept to the request over a clean stop, which forfeits none', async () => {
    const startedAt = performance.now();
    let service = await start();
    expect(count(await burst(service, 25), 200)).toBe(25);
    service.process.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    service = await start();
    expect(count(await burst(service, 55), 200)).toBe(35);
    expect(performance.now() - startedAt).toBeLessThan(WINDOW_MS);
  });

  it('is never exceeded after kill -9, which forfeits a twentieth at the most', async () => {
    const startedAt = performance.now();
    let service = await start();
    let admitted = 0;
    for (const size of [20, 13]) {
      admitted += count(await burst(service, size), 200);
      await crash(service);
      service = await start();
    }
    expect(admitted).toBe(33);
    admitted += count(await burst(service, 55), 200);
    expect(admitted).toBeLessThanOrEqual(60);
    expect(admitted).toBeGreaterThanOrEqual(60 - 2 * FORFEIT_MAX);
    expect(performance.now() - startedAt).toBeLessThan(WINDOW_MS);
  });

  it('is never exceeded when kill -9 comes in the middle of requests', async () => {
    const startedAt = performance.now();
    let admitted = 0;
    for (const answersBefore of [1, 12]) {
      const service = await start();
      let answers = 0;
      const statuses = await burst(service, 40, () => {
        answers += 1;
        if (answers === answersBefore) service.process.kill('SIGKILL');
      });
      admitted += count(statuses, 200);
      await service.exited;
    }
    const service = await start();
    admitted += count(await burst(service, 80), 200);
    expect(admitted).toBeLessThanOrEqual(60);
    expect(performance.now() - startedAt).toBeLessThan(WINDOW_MS);
  });
});

describe('what was told', () => {
  it('of usage and of a ban still holds after kill -9', async () => {
    let service = await start();
    await burst(service, 20);
    const { body: shown } = await get(service, '/v1/usage');
    expect(shown.history).toMatchObject([{ operationId: 'listCategories', admitted: 20 }]);
    await crash(service);

    service = await start();
    const { body: after } = await get(service, '/v1/usage');
    expect(after.history).toEqual(shown.history);
    expect(after.windows[1].remaining).toBeLessThanOrEqual(shown.windows[1].remaining);
    while ((await get(service)).status === 200);
    await burst(service, 29);
    const { body: ban } = await get(service);
    expect(ban.code).toBe('key_banned');
    await crash(service);

    service = await start();
    const { body: still, headers } = await get(service);
    expect(still).toMatchObject({ code: 'key_banned', details: ban.details });
    const seconds = Math.ceil((Date.parse(ban.details.until) - Date.now()) / 1000);
    expect(Math.abs(Number(headers.get('retry-after')) - seconds)).toBeLessThanOrEqual(1);
  });
});
