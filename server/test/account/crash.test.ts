import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { generateApiKey } from '../../src/lib/api-key.ts';
import { count } from '../operations/account/new-workspace.ts';
import { type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DAY_LIMIT = 60;
/** A twentieth of the limit. */
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
  const environment = { PETSTORE_BOOTSTRAP_KEY: key, PETSTORE_BAN_LADDER_SECONDS: '86400' };
  return startService(folder, environment);
}

/** The day is the window that refuses: a minute could end during a test on a slow machine. */
async function startLimited(): Promise<Service> {
  const service = await start();
  const limits = { perMinute: 1_000, perDay: DAY_LIMIT + 1 };
  const response = await fetch(`${service.address}/v1/admin/workspaces/1`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ plan: 'enterprise', limits }),
  });
  expect(response.status).toBe(200);
  return service;
}

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

/** Sends requests at once and returns the statuses of those that were answered. */
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
  it('is kept to the request over a clean stop', async () => {
    let service = await startLimited();
    expect(count(await burst(service, 25), 200)).toBe(25);
    service.process.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    service = await start();
    expect(count(await burst(service, 55), 200)).toBe(DAY_LIMIT - 25);
  });

  it('is never exceeded after kill -9, which forfeits at most a twentieth', async () => {
    let service = await startLimited();
    let admitted = 0;
    for (const size of [20, 13]) {
      admitted += count(await burst(service, size), 200);
      await crash(service);
      service = await start();
    }
    expect(admitted).toBe(33);
    admitted += count(await burst(service, 55), 200);
    expect(admitted).toBeLessThanOrEqual(DAY_LIMIT);
    expect(admitted).toBeGreaterThanOrEqual(DAY_LIMIT - 2 * FORFEIT_MAX);
  });

  it('is never exceeded after kill -9 during requests', async () => {
    let admitted = 0;
    let service = await startLimited();
    for (const answersBefore of [1, 12]) {
      let answers = 0;
      const { process } = service;
      const statuses = await burst(service, 40, () => {
        answers += 1;
        if (answers === answersBefore) process.kill('SIGKILL');
      });
      admitted += count(statuses, 200);
      await service.exited;
      service = await start();
    }
    admitted += count(await burst(service, 80), 200);
    expect(admitted).toBeLessThanOrEqual(DAY_LIMIT);
  });
});

it('usage and a ban that were shown survive kill -9', async () => {
  let service = await startLimited();
  await burst(service, 20);
  const { body: shown } = await get(service, '/v1/usage');
  expect(shown.history).toContainEqual(
    expect.objectContaining({ operationId: 'listCategories', admitted: 20 }),
  );
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
  const secondsLeftMax = Math.ceil((Date.parse(ban.details.until) - Date.now()) / 1000);
  const { body: still, headers } = await get(service);
  expect(still).toMatchObject({ code: 'key_banned', details: ban.details });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(1);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(secondsLeftMax);
});
