import { expect, it, onTestFinished, vi } from 'vitest';
import { Gateway } from '../../src/webhooks/gateway.ts';
import { Targets } from '../../src/webhooks/target.ts';

it('a host whose name servers do not answer is refused in time', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const targets = new Targets([], () => new Promise(() => {}));
  const gateway = new Gateway({ targets, verification: 'none' } as never);
  const refused = gateway.checkUrl('https://slow.example/').catch((err: unknown) => err);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await Promise.race([refused, 'still waiting'])).toMatchObject({
    code: 'invalid_request',
    message: 'url names a host that cannot be resolved at the moment.',
  });
});
