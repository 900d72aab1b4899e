import { expect, it } from 'vitest';
import { closedOnFailure } from '../../src/lib/closed-on-failure.ts';

function recorder() {
  const closed: string[] = [];
  const closing = (name: string) => async () => {
    closed.push(name);
  };
  return { closed, closing };
}

it('closes what was opened, last first, and throws what made the start fail', async () => {
  const { closed, closing } = recorder();
  const start = closedOnFailure(async (opened) => {
    opened.defer(closing('store'));
    opened.defer(closing('server'));
    throw new Error('port taken');
  });
  await expect(start).rejects.toThrow('port taken');
  expect(closed).toEqual(['server', 'store']);
});

it('closes the others and throws the same error when closing one of them fails', async () => {
  const { closed, closing } = recorder();
  const start = closedOnFailure(async (opened) => {
    opened.defer(closing('lock'));
    opened.defer(() => Promise.reject(new Error('cannot close')));
    throw new Error('port taken');
  });
  await expect(start).rejects.toThrow('port taken');
  expect(closed).toEqual(['lock']);
});

it('throws although closing never ends', async () => {
  const start = closedOnFailure(
    async (opened) => {
      opened.defer(() => new Promise<void>(() => undefined));
      throw new Error('port taken');
    },
    { closeMs: 1 },
  );
  await expect(start).rejects.toThrow('port taken');
});

it('leaves everything open after a success', async () => {
  const { closed, closing } = recorder();
  const opened = await closedOnFailure(async (stack) => {
    stack.defer(closing('store'));
    return stack;
  });
  expect(closed).toEqual([]);
  await opened.disposeAsync();
  expect(closed).toEqual(['store']);
});
