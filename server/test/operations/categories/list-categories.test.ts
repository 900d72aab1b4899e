import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

describe('listCategories', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
    for (const name of ['Dogs', 'Cats', 'dolphins', 'Ärger']) {
      await app.call('POST', '/v1/categories', { body: { name } });
    }
  });
  const names = async (query = '', key = app.key) =>
    (await app.call('GET', `/v1/categories?${query}`, { key })).body.map(
      ({ name }: { name: string }) => name,
    );

  it('lists the categories of the workspace, oldest first', async () => {
    expect(await names()).toEqual(['Dogs', 'Cats', 'dolphins', 'Ärger']);
    expect(await names('sort=-id')).toEqual(['Ärger', 'dolphins', 'Cats', 'Dogs']);
    expect(await names('', await app.addWorkspace())).toEqual([]);
  });

  it('filters by the start of the name, whatever its case', async () => {
    expect(await names('name=DO')).toEqual(['Dogs', 'dolphins']);
    expect(await names('name=%C3%A4')).toEqual(['Ärger']);
    expect(await names('name=ogs')).toEqual([]);
  });

  it('finds words of the name by their beginnings', async () => {
    expect(await names('q=do')).toEqual(['Dogs', 'dolphins']);
    expect(await names('q=ARG')).toEqual(['Ärger']);
    expect(await names('q=ogs')).toEqual([]);
    expectError(await app.call('GET', '/v1/categories?q=-'), 'invalid_request');
  });

  it('finds a category by every start of its name', async () => {
    const key = await app.addWorkspace();
    const letters = fc.constantFrom('a', 'Σ', 'ς', 'İ', 'ß', 'É', 'e\u0301', '😀', '%', '_', ' x');
    const unit = fc.oneof(letters, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }));
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 6 }), async (parts) => {
        const name = parts.join('');
        const created = await app.call('POST', '/v1/categories', { key, body: { name } });
        fc.pre(created.status === 201);
        for (const start of startsOf(created.body.name)) {
          const query = `limit=100&name=${encodeURIComponent(start)}`;
          expect(await names(query, key)).toContain(created.body.name);
        }
        await app.call('DELETE', `/v1/categories/${created.body.id}`, { key });
      }),
      { numRuns: 50 },
    );
  });

  it.each(['sort=name', 'status=sold', 'id=1', 'name=', 'limit=0', 'limit=101', 'cursor=x'])(
    'refuses the query %s',
    async (query) => {
      expectError(await app.call('GET', `/v1/categories?${query}`), 'invalid_request');
    },
  );
});

/** Every start that does not end between a letter and its accent. */
function startsOf(name: string): string[] {
  const segments = [...new Intl.Segmenter('en').segment(name.normalize('NFC'))];
  return segments.map(({ index, segment }) => name.normalize('NFC').slice(0, index) + segment);
}
