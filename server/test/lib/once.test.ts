import { expect, it } from 'vitest';
import { once } from '../../src/lib/once.ts';

it('makes a value when it is first asked for, and only then', () => {
  let made = 0;
  const get = once(() => {
    made += 1;
    return { made };
  });
  expect(made).toBe(0);
  expect(get()).toBe(get());
  expect(made).toBe(1);
});

it('tries again after a failure', () => {
  let attempts = 0;
  const get = once(() => {
    attempts += 1;
    if (attempts === 1) throw new Error('not yet');
    return attempts;
  });
  expect(get).toThrow('not yet');
  expect(get()).toBe(2);
});

it('tries again after a promise that failed', async () => {
  let attempts = 0;
  const get = once(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('not yet');
    return attempts;
  });
  await expect(get()).rejects.toThrow('not yet');
  expect(await get()).toBe(2);
});
