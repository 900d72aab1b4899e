import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';

const CONTROLS = [
  '\u0000',
  '\u0001',
  '\t',
  '\n',
  '\r',
  '\u001f',
  '\u007f',
  '\u0080',
  '\u0085',
  '\u009f',
];
let app: TestApp;
let count = 0;
beforeAll(async () => {
  app = await testApp();
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
});

// Names of categories are unique, so each test deletes its category.
const kinds: [string, (name: unknown) => ReturnType<TestApp['call']>][] = [
  ['a new pet', (name) => app.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })],
  ['a new category', (name) => app.call('POST', '/v1/categories', { body: { name } })],
  [
    'a changed category',
    async (name) => {
      const body = { name: `before ${count++}` };
      const { id } = (await app.call('POST', '/v1/categories', { body })).body;
      const answer = await app.call('PATCH', `/v1/categories/${id}`, { body: { name } });
      await app.call('DELETE', `/v1/categories/${id}`);
      return answer;
    },
  ],
];

describe.each(kinds)('the name of %s', (kind, send) => {
  const take = async (name: string) => {
    const answer = await send(name);
    expect(answer.status, answer.text).toBeLessThan(300);
    if (kind === 'a new category') {
      await app.call('DELETE', `/v1/categories/${(answer.body as { id: number }).id}`);
    }
    return (answer.body as { name: string }).name;
  };
  const refuse = async (name: unknown) => {
    const answer = await send(name);
    expectError(answer, 'invalid_request');
    const { details } = answer.body as { details: { field: string }[] };
    expect(details[0]!.field).toBe('name');
  };

  it('is trimmed', async () => {
    expect(await take('  Rex  ')).toBe('Rex');
    expect(await take('\u00a0\u2003Rex\u3000\ufeff')).toBe('Rex');
    expect(await take('R e  x')).toBe('R e  x');
  });

  it('has 1 to 200 code points after trimming', async () => {
    expect(await take('x')).toBe('x');
    expect(await take('x'.repeat(200))).toBe('x'.repeat(200));
    expect(await take('😀'.repeat(200))).toBe('😀'.repeat(200));
    expect(await take(` ${'é'.repeat(200)} `)).toBe('é'.repeat(200));
    for (const name of ['', ' ', '\u00a0\u3000', 'x'.repeat(201), '😀'.repeat(201)]) {
      await refuse(name);
    }
    await refuse(`${'x'.repeat(200)} y`);
  });

  it.each(CONTROLS)('contains no control character: %j', async (control) => {
    await refuse(`R${control}ex`);
    await refuse(`${control}Rex`);
    await refuse(`Rex${control}`);
    await refuse(control);
  });

  it('is a string', async () => {
    for (const name of [1, true, null, ['Rex'], { a: 1 }]) await refuse(name);
  });
});
