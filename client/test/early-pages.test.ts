import { expect, it } from 'vitest';
import { Petstore } from '../src/petstore.ts';
import { fakeService } from './support/fake-service.ts';
import { runPetstore } from './support/run-petstore.ts';

/** The pages of a list with a rare match: most end early, without a record, and link to the next. */
const PAGES = [[], [], [{ id: 7, name: 'Rex' }], [], [{ id: 9, name: 'Tom' }], []];

async function earlyPages() {
  const asked: string[] = [];
  const baseUrl = await fakeService((req, res) => {
    const url = req.url!;
    asked.push(url);
    const at = Number(new URL(url, 'http://service').searchParams.get('cursor') ?? 0);
    const next = `</v1/pets?status=sold&cursor=${at + 1}>; rel="next"`;
    const link = at + 1 < PAGES.length ? { link: next } : {};
    res.writeHead(200, { 'content-type': 'application/json', ...link });
    res.end(JSON.stringify(PAGES[at]));
  });
  return { asked, baseUrl };
}

it('the client goes on through pages without a record to the end of the list', async () => {
  const { asked, baseUrl } = await earlyPages();
  const store = new Petstore({ apiKey: 'psk_test', baseUrl });
  const ids: number[] = [];
  for await (const { id } of store.pets.list({ status: 'sold' })) ids.push(id);
  expect([ids, asked.length]).toEqual([[7, 9], PAGES.length]);
  const first = await store.pets.list({ status: 'sold' });
  expect([first.items, first.nextCursor]).toEqual([[], '1']);
  expect(await store.pets.list({ status: 'sold' }).toArray({ limit: 1 })).toMatchObject([
    { id: 7 },
  ]);
});

it('petstore pets list --all goes on through pages without a record to the end of the list', async () => {
  const { asked, baseUrl } = await earlyPages();
  const env = { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: baseUrl };
  const args = ['pets', 'list', '--status', 'sold', '--all', '--json'];
  const { code, stdout } = await runPetstore(args, { env });
  expect([code, asked.length]).toEqual([0, PAGES.length]);
  expect(stdout.match(/"id":\s*\d+/g)?.map((found) => Number(/\d+/.exec(found)))).toEqual([7, 9]);
});
