import { beforeAll, expect, it } from 'vitest';
import { noteBackup } from '../../src/lib/backup-files.ts';
import { type TestApp, testApp } from '../support/app.ts';

const isPostgres = process.env.TEST_ENGINE === 'postgres';
let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
const metrics = async () => (await app.call('GET', '/metrics', { key: null })).text;

it('counters of 500 and 503 are there from 0 on', async () => {
  const text = await metrics();
  for (const operation of ['listPets', 'placeOrder', 'none', 'malformed']) {
    for (const status of [500, 503]) {
      expect(text).toContain(
        `petstore_requests_total{operation="${operation}",status="${status}"} 0\n`,
      );
    }
  }
});

it('durations are shown by method, route template and status, and not by path', async () => {
  await app.call('GET', '/v1/pets?limit=1');
  await app.call('GET', '/v1/pets?limit=2');
  await app.call('GET', '/v1/inventory/4711');
  const text = await metrics();
  const series = (route: string, status: number) =>
    `{http_request_method="GET",http_route="${route}",http_response_status_code="${status}"}`;
  const name = 'http_server_request_duration_seconds';
  expect(text).toContain(`${name}_count${series('/v1/pets', 200)} 2\n`);
  expect(text).toContain(`${name}_count${series('/v1/inventory/{petId}', 404)} 1\n`);
  expect(text).not.toContain('inventory/4711');
  const bucket = /request_seconds_bucket\{le="\+Inf"\} (\d+)/.exec(text)![1];
  expect(text).toContain(`petstore_request_seconds_count ${bucket}\n`);
  const counts = [...text.matchAll(/^petstore_request_seconds_bucket.* (\d+)$/gm)].map(([, n]) =>
    Number(n),
  );
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(text.match(/^# TYPE (\S+)/gm)).toHaveLength(new Set(text.match(/^# TYPE (\S+)/gm)).size);
});

it('shows delays of storage, and workspaces by state', async () => {
  await app.call('GET', '/readyz', { key: null });
  const text = await metrics();
  expect(text).toMatch(/^petstore_storage_delay_seconds [\d.e-]+$/m);
  expect(text).toMatch(/^petstore_workspaces\{state="active"\} \d+$/m);
  expect(text).toContain('petstore_request_log_dropped_total 0');
});

it('shows the disk and the age of the last backup, with SQLite alone', async () => {
  let text = await metrics();
  if (isPostgres) return expect(text).not.toMatch(/petstore_(disk|backup)/);
  expect(text).toMatch(/^petstore_disk_free_bytes [1-9]/m);
  expect(text).toMatch(/^petstore_disk_bytes [1-9]/m);
  expect(text).toContain('petstore_backup_age_seconds +Inf');
  noteBackup(app.config.PETSTORE_DATA_DIR, app.clock.now() - 7_200_000);
  text = await metrics();
  expect(text).toMatch(/^petstore_backup_age_seconds 720\d/m);
});

it('says how long a response took if it is asked to, and not otherwise', async () => {
  expect((await app.call('GET', '/v1/pets')).headers.get('server-timing')).toBeNull();
  const timed = await testApp({ environment: { PETSTORE_SERVER_TIMING: 'on' } });
  const { headers } = await timed.call('GET', '/v1/pets');
  expect(headers.get('server-timing')).toMatch(/^total;dur=\d+\.\d{3}$/);
});
