import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Gate, type GateOptions } from '../src/gate.ts';
import { Petstore } from '../src/petstore.ts';
import { type ScriptedResponse, scriptedFetch } from '../src/testing.ts';

const inOneMinute = () => new Date(Date.now() + 60_000);

function minute(limit: number, remaining: number, resetAt = inOneMinute()) {
  const window = { limit, remaining, resetAt };
  return { limit, remaining, resetAt, windows: { minute: window } };
}

/** A gate whose calls all wait as long. */
function gateOf({ maxWaitMs, ...options }: GateOptions & { maxWaitMs: number }) {
  const gate = new Gate(options);
  const passOf = (cost: number) => ({ cost, maxWaitMs, since: Infinity, isProbe: false });
  return {
    enter: (cost: number, signal: AbortSignal | undefined) => gate.enter(passOf(cost), signal),
    leave: (cost: number) => gate.leave(passOf(cost)),
    learn: gate.learn.bind(gate),
    block: (ms: number) => gate.block(ms, { code: 'rate_limit_exceeded' }),
  };
}

/** Whether a counted call is admitted at once. */
function admits(gate: ReturnType<typeof gateOf>): Promise<boolean> {
  return gate.enter(1, undefined).then(
    () => {
      gate.leave(1);
      return true;
    },
    () => false,
  );
}

function never(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}

describe('the gate', () => {
  it('waits for a window by its own clock, whatever the clock of the machine is set to', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gate = gateOf({ maxConcurrent: 10, maxWaitMs: 60_000 });
    gate.learn(minute(60, 0));
    vi.setSystemTime(Date.now() - 3_600_000);
    const admitted = vi.fn();
    gate.enter(1, undefined).then(admitted, () => {});
    await vi.advanceTimersByTimeAsync(59_000);
    expect(admitted).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(admitted).toHaveBeenCalledOnce();
  });

  it('keeps no timer once no call waits, so that a process can end', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gate = gateOf({ maxConcurrent: 10, maxWaitMs: 60_000 });
    gate.learn(minute(60, 0));
    const controller = new AbortController();
    const refused = expect(gate.enter(1, controller.signal)).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(1);
    controller.abort(new Error('enough'));
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps the lowest number of a window, because responses arrive out of order', async () => {
    const gate = gateOf({ maxConcurrent: 10, maxWaitMs: 0 });
    const resetAt = inOneMinute();
    gate.learn(minute(60, 0, resetAt));
    gate.learn(minute(60, 3, resetAt));
    expect(await admits(gate)).toBe(false);
  });

  it('learns nothing from a window that has ended', async () => {
    const gate = gateOf({ maxConcurrent: 10, maxWaitMs: 0 });
    gate.learn(minute(60, 60));
    const { windows, ...spent } = minute(60, 0);
    const ended = { ...windows.minute, resetAt: new Date(Date.now() - 1_000) };
    gate.learn({ ...spent, windows: { minute: ended } });
    expect(await admits(gate)).toBe(true);
  });

  it('learns nothing from a late response of the window before', async () => {
    const gate = gateOf({ maxConcurrent: 10, maxWaitMs: 0 });
    gate.learn(minute(60, 59));
    gate.learn(minute(60, 0, new Date(Date.now() + 900)));
    expect(await admits(gate)).toBe(true);
  });

  it('learns from a response that was long on its way in the same window', async () => {
    const gate = gateOf({ maxConcurrent: 10, maxWaitMs: 0 });
    gate.learn(minute(60, 59));
    gate.learn(minute(60, 0, new Date(Date.now() + 55_000)));
    expect(await admits(gate)).toBe(false);
  });

  it('counts a window from when the request was sent, however late the response is', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=0;t=10, "day";r=900;t=9000',
    };
    const answers = scriptedFetch([{ body: [], headers }, { body: [] }]);
    const store = new Petstore({
      apiKey: 'psk_test',
      baseUrl: 'http://127.0.0.1:1/v1',
      maxWaitMs: 0,
      fetch: (input, init) => {
        vi.advanceTimersByTime(20_000);
        return answers(input, init);
      },
    });
    const sentAt = Date.now();
    await store.pets.list();
    expect(store.rateLimit!.windows.minute!.resetAt).toEqual(new Date(sentAt + 10_000));
    await expect(store.pets.list()).resolves.toMatchObject({ items: [] });
  });

  it('takes the numbers of another plan at once, also after a refusal', async () => {
    const gate = gateOf({ maxConcurrent: 10, maxWaitMs: 0 });
    gate.learn(minute(60, 0));
    gate.block(60_000);
    expect(await admits(gate)).toBe(false);
    gate.learn(minute(300, 240));
    expect(await admits(gate)).toBe(true);
  });

  it('lets ten calls out until the minute is known, and again once it has ended', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gate = gateOf({ maxConcurrent: 100, maxWaitMs: 60_000 });
    const admitted = vi.fn();
    for (let call = 0; call < 200; call++) gate.enter(1, undefined).then(admitted, () => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(admitted).toHaveBeenCalledTimes(10);
    gate.learn(minute(60, 59));
    gate.leave(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(admitted).toHaveBeenCalledTimes(60);
    gate.learn(minute(60, 0));
    for (let call = 0; call < 59; call++) gate.leave(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(admitted).toHaveBeenCalledTimes(70);
  });

  it('waits for a window that opened after the call, if the window is as long as maxWaitMs', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gate = gateOf({ maxConcurrent: 1, maxWaitMs: 60_000 });
    await gate.enter(1, undefined);
    const admitted = vi.fn();
    const refused = vi.fn();
    gate.enter(1, undefined).then(admitted, refused);
    await vi.advanceTimersByTimeAsync(5);
    gate.learn(minute(60, 0));
    gate.leave(1);
    await vi.advanceTimersByTimeAsync(59_000);
    expect([admitted.mock.calls, refused.mock.calls]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(admitted).toHaveBeenCalledOnce();
  });

  it('waits for a refusal that arrives after the window is known to be spent', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gate = gateOf({ maxConcurrent: 2, maxWaitMs: 60_000 });
    await gate.enter(1, undefined);
    await gate.enter(1, undefined);
    const admitted = vi.fn();
    const refused = vi.fn();
    gate.enter(1, undefined).then(admitted, refused);
    gate.learn(minute(1, 0));
    gate.leave(1);
    await vi.advanceTimersByTimeAsync(500);
    gate.block(60_000);
    gate.leave(1);
    await vi.advanceTimersByTimeAsync(59_999);
    expect([admitted.mock.calls, refused.mock.calls]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(admitted).toHaveBeenCalledOnce();
  });

  it('refuses a call that has waited for one window and would wait for the next', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gate = gateOf({ maxConcurrent: 1, maxWaitMs: 60_000 });
    await gate.enter(1, undefined);
    gate.learn(minute(60, 0));
    const first = vi.fn();
    gate.enter(1, undefined).then(first);
    const second = expect(gate.enter(1, undefined)).rejects.toMatchObject({ isLocal: true });
    gate.leave(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first).toHaveBeenCalledOnce();
    gate.learn(minute(60, 0));
    gate.leave(1);
    await second;
  });

  it('waits for the longest refusal, however short a later one is', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gate = gateOf({ maxConcurrent: 10, maxWaitMs: 120_000 });
    gate.block(60_000);
    gate.block(1_000);
    const admitted = vi.fn();
    gate.enter(1, undefined).then(admitted, () => {});
    await vi.advanceTimersByTimeAsync(59_000);
    expect(admitted).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(admitted).toHaveBeenCalledOnce();
  });

  it('counts only metered calls against what a window has left', async () => {
    const gate = gateOf({ maxConcurrent: 10, maxWaitMs: 0 });
    gate.learn(minute(60, 1));
    await gate.enter(0, undefined);
    await gate.enter(0, undefined);
    expect(await Promise.race([admits(gate), never(50)])).toBe(true);
  });

  it('lets neither free nor metered calls keep the others out', async () => {
    const gate = gateOf({ maxConcurrent: 2, maxWaitMs: 0 });
    const order: string[] = [];
    const send = (cost: number) => gate.enter(cost, undefined).then(() => order.push(`${cost}`));
    for (const cost of [0, 0, 0, 0, 1, 1]) void send(cost);
    for (const cost of [0, 0, 1, 0, 1, 0]) {
      await new Promise(setImmediate);
      gate.leave(cost);
    }
    expect(order).toEqual(['0', '0', '1', '0', '1', '0']);
  });

  it('notifies of a window once, however many calls wait for it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const onWait = vi.fn();
    const gate = gateOf({ maxConcurrent: 1_000, maxWaitMs: 60_000, onWait });
    gate.learn(minute(60, 0));
    const calls = Array.from({ length: 1_000 }, () => gate.enter(1, undefined));
    expect(onWait.mock.calls).toEqual([[60_000]]);
    await vi.advanceTimersByTimeAsync(60_000);
    gate.learn(minute(5_000, 5_000));
    gate.leave(1);
    await expect(Promise.all(calls)).resolves.toHaveLength(1_000);
    expect(onWait).toHaveBeenCalledOnce();
  });

  it('lets out as many batches as a window has room for', async () => {
    const gate = gateOf({ maxConcurrent: 50, maxWaitMs: 0 });
    gate.learn(minute(60, 25));
    const admitted = vi.fn();
    for (let call = 0; call < 3; call++) gate.enter(10, undefined).then(admitted, () => {});
    await new Promise(setImmediate);
    expect(admitted).toHaveBeenCalledTimes(2);
  });

  it.each([
    [1_000, 5],
    [101, 29],
    [100, 50],
    [0, 50],
  ])('counts a batch of %i rows as what it costs', async (rows, sent) => {
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=59;t=60, "day";r=900;t=9000',
    };
    const fetch = vi.fn(async () => new Promise<Response>(() => {}));
    fetch.mockResolvedValueOnce(new Response('[]', { headers }));
    const store = new Petstore({
      apiKey: 'psk_test',
      baseUrl: 'http://127.0.0.1:1/v1',
      maxConcurrent: 50,
      fetch,
    });
    await store.pets.list();
    const pets = Array.from({ length: rows }, () => ({ name: 'Rex', categoryId: 1 }));
    for (let call = 0; call < 50; call++) void store.pets.createMany({ pets }).catch(() => {});
    await new Promise(setImmediate);
    expect(fetch).toHaveBeenCalledTimes(1 + sent);
  });

  it('learns nothing about the plan from the cap of a free operation', async () => {
    const plan = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '60' };
    const capped = {
      status: 429,
      body: { code: 'rate_limit_exceeded', message: 'too many' },
      headers: {
        ...plan,
        'retry-after': '60',
        'ratelimit-policy': '"minute";q=60;w=60',
        ratelimit: '"minute";r=0;t=60',
      },
    };
    const store = new Petstore({
      apiKey: 'psk_test',
      baseUrl: 'http://127.0.0.1:1/v1',
      maxWaitMs: 0,
      fetch: scriptedFetch([capped, { body: [], headers: plan }]),
    });
    await expect(store.usage.get()).rejects.toMatchObject({ isLocal: false });
    expect(store.rateLimit).toBeUndefined();
    await expect(store.pets.list()).resolves.toMatchObject({ items: [] });
  });

  it.each([
    ['pinged', (store: Petstore) => store.webhooks.ping(1)],
    ['redelivered to', (store: Petstore) => store.webhooks.redeliverEvent(1, { eventId: '1' })],
  ])('lets other calls pass when a webhook was %s too often', async (_, send) => {
    const capped = {
      status: 429,
      body: { code: 'rate_limit_exceeded', message: 'too often' },
      headers: {
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '40',
        'retry-after': '60',
        'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
        ratelimit: '"minute";r=40;t=60, "day";r=900;t=9000',
      },
    };
    const store = new Petstore({
      apiKey: 'psk_test',
      baseUrl: 'http://127.0.0.1:1/v1',
      maxWaitMs: 0,
      fetch: scriptedFetch([capped, { body: [] }]),
    });
    await expect(send(store)).rejects.toMatchObject({ isLocal: false });
    await expect(store.pets.list()).resolves.toMatchObject({ items: [] });
  });

  /** A failure before the service knew the key: its numbers are those of the client's address. */
  function unknownCaller(remaining: number): ScriptedResponse {
    return {
      status: 503,
      body: { code: 'overloaded', message: 'busy' },
      headers: {
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': String(remaining),
        'ratelimit-policy': '"minute";q=60;w=60',
        ratelimit: `"minute";r=${remaining};t=60`,
      },
    };
  }

  it('learns nothing about the plan from the limit of the address', async () => {
    const fetch = scriptedFetch([unknownCaller(0), { body: [] }]);
    const baseUrl = 'http://127.0.0.1:1/v1';
    const options = { apiKey: 'psk_test', baseUrl, maxRetries: 0, maxWaitMs: 0 };
    const store = new Petstore({ ...options, fetch });
    await expect(store.pets.list()).rejects.toMatchObject({ code: 'overloaded' });
    expect(store.rateLimit).toBeUndefined();
    await expect(store.pets.list()).resolves.toMatchObject({ items: [] });
  });

  it('is not opened again by the limit of the address, once the plan is spent', async () => {
    const spent: ScriptedResponse = {
      body: [],
      headers: {
        'x-ratelimit-limit': '300',
        'x-ratelimit-remaining': '0',
        'ratelimit-policy': '"minute";q=300;w=60, "day";q=10000;w=86400',
        ratelimit: '"minute";r=0;t=60, "day";r=9000;t=9000',
      },
    };
    const answers = scriptedFetch([spent, unknownCaller(60), { body: [] }]);
    const failed = Promise.withResolvers<void>();
    const store = new Petstore({
      apiKey: 'psk_test',
      baseUrl: 'http://127.0.0.1:1/v1',
      maxRetries: 0,
      maxWaitMs: 0,
      // The second of two calls that are in flight fails after the first has spent the plan.
      fetch: async (input, init) => {
        const response = await answers(input, init);
        if (!response.ok) await failed.promise;
        return response;
      },
    });
    const [first, second] = [store.pets.list(), store.pets.list()];
    await first;
    failed.resolve();
    await expect(second).rejects.toMatchObject({ code: 'overloaded' });
    await expect(store.pets.list()).rejects.toMatchObject({ isLocal: true });
    expect(store.rateLimit).toMatchObject({ limit: 300 });
    expect(answers.requests).toHaveLength(2);
  });
});
