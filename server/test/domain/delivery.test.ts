import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  afterSuccess,
  disable,
  type Failure,
  isPoisonSuspected,
  judge,
  judgedAt,
  retryInMs,
  type WebhookHealth,
} from '../../src/domain/delivery.ts';

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const enabled: WebhookHealth = { state: 'enabled', failures: 0, rejections: 0 };
const silence: Failure = { outcome: 'timeout' };
const answered = (status: number, retryAfterMs?: number): Failure => {
  return { outcome: 'status', status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
};
const someFailure: fc.Arbitrary<Failure> = fc.oneof(
  fc.constantFrom<Failure>(silence, { outcome: 'connection' }, { outcome: 'tls' }),
  fc.integer({ min: 300, max: 999 }).map((status) => answered(status)),
);

/** Fails from NOW on as the schedule says, and gives each instant at which something happened. */
function failUntil(end: number, failure: Failure, random: () => number) {
  let health = enabled;
  const attempts: number[] = [];
  const events: [number, string][] = [];
  let retryAt = NOW;
  while (health.state !== 'disabled') {
    const at = Math.min(retryAt, judgedAt(health) ?? retryAt);
    if (at > end) break;
    const judgement = at === retryAt ? afterFailure(health, failure, at) : judge(health, at);
    health = judgement.health;
    if (judgement.event) events.push([at - NOW, judgement.event]);
    if (at !== retryAt) continue;
    attempts.push(at - NOW);
    retryAt = at + retryInMs(health.failures, failure, random());
  }
  return { health, attempts, events };
}

describe('retries', () => {
  it('wait 5 s, 30 s, 2, 5, 15 and 30 minutes, 1, 2, 4, 8 and then 12 hours, give or take a fifth', () => {
    const usual = [5, 30, 120, 300, 900, 1800, 3600, 7200, 14400, 28800, 43200, 43200, 43200];
    for (const [at, seconds] of usual.entries()) {
      const delays = [0, 0.5, 1].map((random) => retryInMs(at + 1, silence, random));
      expect(delays).toEqual([seconds * 800, seconds * 1000, seconds * 1200]);
    }
  });

  it('come when the receiver asks, of 429 and 503 alone', () => {
    expect(retryInMs(1, answered(429, 1_000), 0.9)).toBe(1_000);
    expect(retryInMs(9, answered(503, 90_000), 0.1)).toBe(90_000);
    expect(retryInMs(1, answered(500, 90_000), 0.5)).toBe(5_000);
    expect(retryInMs(1, answered(429), 0.5)).toBe(5_000);
  });
});

describe('a series of failures', () => {
  it('makes a webhook failing after an hour and disabled after five days, with one event each', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (stream) => {
        const random = () => stream.next().value as number;
        const { health, events, attempts } = failUntil(NOW + 30 * DAY_MS, silence, random);
        expect(events).toEqual([
          [HOUR_MS, 'webhook.failing'],
          [5 * DAY_MS, 'webhook.disabled'],
        ]);
        expect(health).toMatchObject({ state: 'disabled', stateReason: 'failed' });
        expect(attempts.length).toBeGreaterThan(16);
        expect(attempts.length).toBeLessThan(25);
      }),
    );
  });

  it('ends with a success, and the next one starts anew', () => {
    const { health } = failUntil(NOW + 3 * DAY_MS, silence, () => 0.5);
    expect(health).toMatchObject({ state: 'failing', failingSince: NOW });
    expect(afterSuccess(health)).toEqual(enabled);
    const again = afterFailure(afterSuccess(health), silence, NOW + 4 * DAY_MS);
    expect(again.health).toMatchObject({ state: 'enabled', failures: 1 });
    expect(again.health.failingSince).toBe(NOW + 4 * DAY_MS);
  });

  it('of pings ends after a day', () => {
    const first = afterFailure({ ...enabled, state: 'unverified' }, silence, NOW).health;
    expect(judge(first, NOW + DAY_MS - 1)).toEqual({ health: first });
    expect(judge(first, NOW + DAY_MS)).toEqual(disable(first, 'unverified'));
    expect(afterSuccess(first).state).toBe('unverified');
  });

  it('never changes the state before its time and never counts back', () => {
    fc.assert(
      fc.property(fc.array(someFailure, { maxLength: 40 }), fc.nat(HOUR_MS - 1), (all, within) => {
        let health = enabled;
        for (const [at, failure] of all.entries()) {
          const now = NOW + Math.floor((within * at) / all.length);
          const judgement = afterFailure(health, failure, now);
          expect(judgement.health.failures).toBe(at + 1);
          expect(judgement.health.rejections).toBeGreaterThanOrEqual(health.rejections);
          expect(judgement.event !== undefined).toBe(failure.status === 410);
          if (failure.status === 410) return;
          health = judgement.health;
        }
        expect(health.state).toBe('enabled');
      }),
    );
  });
});

describe('410', () => {
  it('disables at once, whatever the state', () => {
    for (const state of ['unverified', 'enabled', 'failing'] as const) {
      const { health, event } = afterFailure({ ...enabled, state }, answered(410), NOW);
      expect([health.state, health.stateReason, event]).toEqual([
        'disabled',
        'gone',
        'webhook.disabled',
      ]);
    }
  });
});

describe('an event', () => {
  const after = (failures: Failure[]) =>
    failures.reduce((health, failure) => afterFailure(health, failure, NOW).health, enabled);

  it('is suspected once it was rejected four times', () => {
    for (const status of [301, 304, 400, 401, 404, 413, 500, 501, 505, 999]) {
      expect(isPoisonSuspected(after(Array(3).fill(answered(status))))).toBe(false);
      expect(isPoisonSuspected(after(Array(4).fill(answered(status))))).toBe(true);
    }
  });

  it('is not suspected because of silence or of trouble that the receiver has itself', () => {
    const others: Failure[] = [429, 502, 503, 504].map((status) => answered(status));
    const mixed = [...others, silence, { outcome: 'connection' }, { outcome: 'tls' }] as Failure[];
    expect(isPoisonSuspected(after([...mixed, ...mixed, ...Array(3).fill(answered(400))]))).toBe(
      false,
    );
  });
});
