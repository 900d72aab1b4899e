import { beforeAll, describe, expect, it } from 'vitest';
import { stopClock } from '../../../server/test/account/still-clock.ts';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { runPetstore } from '../support/run-petstore.ts';

let app: TestApp;
let env: Record<string, string>;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  // The last 60 minutes are the same in every read.
  stopClock(app, app.clock.now());
  env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  for (const name of ['Dogs', 'Cats', 'Fish']) {
    await app.call('POST', '/v1/categories', { body: { name } });
  }
});

async function linesOf(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runPetstore(args, { env });
  expect(code, stderr).toBe(0);
  return stdout.trimEnd().split('\n');
}

async function recordsOf(...args: string[]): Promise<Record<string, unknown>[]> {
  return JSON.parse((await linesOf(...args, '--json')).join('\n'));
}

describe('rows in a pipe', () => {
  const feed = ['events', 'list', '--type', 'category.*', '--all', '--limit', '2'];

  it('have the columns of the table where the contract names none, on every page', async () => {
    const [head, ...lines] = await linesOf(...feed, '-o', 'csv');
    const events = await recordsOf(...feed);
    expect(events).toHaveLength(3);
    expect(head).toBe('id,timestamp,type,data');
    const starts = lines.map((line) => line.split(',', 3));
    expect(starts).toEqual(events.map(({ id, timestamp, type }) => [id, timestamp, type]));
    const cells = (await linesOf(...feed)).map((line) => line.split('\t'));
    expect(cells).toEqual(
      events.map(({ id, timestamp, type, data }) => [id, timestamp, type, JSON.stringify(data)]),
    );
  });

  it('have the fields of an event that are no columns, where --fields names them', async () => {
    const [first] = await recordsOf(...feed);
    const fields = { sequence: first!.sequence, keyId: first!.keyId };
    const asked = ['--limit', '1', '--fields', 'sequence,before,keyId'];
    const cells = [fields.sequence, '', fields.keyId].join('\t');
    expect((await linesOf(...feed.slice(0, 4), ...asked))[0]).toBe(cells);
    expect((await recordsOf(...feed.slice(0, 4), ...asked))[0]).toEqual(fields);
    const one = ['events', 'get', String(first!.id), '--fields', 'keyId'];
    expect(await linesOf(...one)).toEqual([fields.keyId]);
  });

  it.each(['plan list', 'usage minutes'])('stand for each item of %s', async (name) => {
    const command = name.split(' ');
    const items = await recordsOf(...command);
    const columns = Object.keys(items[0]!);
    const [head, ...lines] = await linesOf(...command, '-o', 'csv');
    expect([head, lines.length]).toEqual([columns.join(','), items.length]);
    const first = (await linesOf(...command)).map((line) => line.split('\t', 1)[0]);
    expect(first).toEqual(items.map((item) => String(item[columns[0]!])));
    const shown = await linesOf(...command, '-o', 'ndjson');
    expect(shown.map((line) => JSON.parse(line))).toEqual(items);
  });

  it('of a record are those of its list, also where it has no value', async () => {
    const { body: pet } = await app.call('POST', '/v1/pets', {
      body: { name: 'Rex', categoryId: 1 },
    });
    const { body: order } = await app.call('POST', '/v1/store/orders', {
      body: { petId: pet.id },
    });
    for (const format of ['tsv', 'csv']) {
      const args = ['-o', format];
      const list = await linesOf('orders', 'list', '--no-names', ...args);
      expect(await linesOf('orders', 'get', String(order.id), ...args)).toEqual(list);
    }
    const [newest] = await recordsOf('events', 'list', '--after', '0', '--limit', '1');
    const listed = await linesOf('events', 'list', '--after', '0', '--limit', '1');
    expect(await linesOf('events', 'get', String(newest!.id))).toEqual(listed);
  });

  it('have the fields asked for, whatever spaces stand between them', async () => {
    const fields = ['--fields', 'id, name'];
    const rows = await linesOf('categories', 'list', ...fields, '-o', 'csv');
    expect(rows).toEqual(['id,name', '1,Dogs', '2,Cats', '3,Fish']);
    expect(await linesOf('categories', 'list', ...fields)).toEqual([
      '1\tDogs',
      '2\tCats',
      '3\tFish',
    ]);
  });
});
