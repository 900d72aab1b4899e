import { beforeAll, describe, expect, it } from 'vitest';
import { SharedAnswers } from '../../src/api/shared-answers.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
let petId: number;

beforeAll(async () => {
  app = await testApp();
  const category = await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  const body = { name: 'Rex', categoryId: category.body.id };
  petId = (await app.call('POST', '/v1/pets', { body })).body.id;
});

describe('reads that are asked for at once', () => {
  it('see every change that was acknowledged before them', async () => {
    const paths = [`/v1/pets/${petId}`, '/v1/pets', `/v1/pets?id=${petId}`];
    const asked: Promise<unknown>[] = [];
    for (let round = 0; round < 150; round++) {
      const path = paths[round % paths.length]!;
      const name = `Rex ${round}`;
      // Some are under way while the change is made, and some begin with those that must see it.
      for (let n = 0; n < 6; n++) asked.push(app.call('GET', path));
      await app.call('PATCH', `/v1/pets/${petId}`, { body: { name } });
      const after = await Promise.all(Array.from({ length: 4 }, () => app.call('GET', path)));
      for (const { text } of after) expect(text).toContain(`"${name}"`);
    }
    await Promise.all(asked);
  });

  it('get answers of their own: request ids, quota and conditions', async () => {
    const path = `/v1/pets/${petId}`;
    const { headers } = await app.call('GET', path);
    const match = { 'if-none-match': headers.get('etag')! };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        app.call('GET', path, n % 2 === 0 ? {} : { headers: match }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      answers.map((_, n) => (n % 2 === 0 ? 200 : 304)),
    );
    for (const name of ['x-request-id', 'x-ratelimit-remaining']) {
      expect(new Set(answers.map((answer) => answer.headers.get(name))).size).toBe(20);
    }
  });

  it('that fail are each told why', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => app.call('GET', '/v1/pets/999999999')),
    );
    expect(answers.map(({ body }) => body.code)).toEqual(Array(10).fill('not_found'));
    expect(new Set(answers.map(({ body }) => body.requestId)).size).toBe(10);
  });
});

describe('the answers under way', () => {
  let sent = 0;
  let reads = 0;
  const shared = new SharedAnswers(() => sent);
  const ask = (workspaceId: number, url: string, host = 'here', protocol = 'http') => {
    const request = { raw: { url }, headers: { host }, protocol } as never;
    return shared.get(request, workspaceId, async () => {
      reads += 1;
      return { status: 200, headers: {}, body: String(reads) };
    });
  };

  it('are shared until reads are sent, and never after', async () => {
    const first = ask(1, '/a');
    expect(ask(1, '/a')).toBe(first);
    sent += 1;
    expect(ask(1, '/a')).not.toBe(first);
    expect(reads).toBe(2);
  });

  it('are not shared between workspaces, addresses, hosts or protocols', async () => {
    const asked = [
      ask(2, '/a'),
      ask(3, '/a'),
      ask(2, '/b'),
      ask(2, '/a', 'there'),
      ask(2, '/a', 'here', 'https'),
    ];
    const bodies = (await Promise.all(asked)).map(({ body }) => body);
    expect(new Set(bodies).size).toBe(asked.length);
  });
});
