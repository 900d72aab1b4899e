import { planIds } from '../../domain/plan.ts';
import { choice, count, INTEGER_MAX, instant, object } from './fields.ts';
import { Type } from './type.ts';

const keyId = Type.String({ description: 'The API key.' });
const operationId = Type.String({ description: 'The operation.' });

const UsageWindow = object('UsageWindow', {
  name: choice(['minute', 'day'] as const, 'The window.'),
  limit: count('Requests it admits.', 0, INTEGER_MAX),
  remaining: count('Requests that remain.', 0, INTEGER_MAX),
  resetAt: instant('When the window resets.'),
});

const UsageBan = object('UsageBan', {
  keyId,
  until: instant('When the ban ends.'),
  strikes: count('The number of bans of the key so far.', 0, INTEGER_MAX),
});

const UsageEntry = object('UsageEntry', {
  date: Type.String({ format: 'date', description: 'The UTC day.' }),
  keyId,
  operationId,
  admitted: count('Requests that were admitted.', 0, INTEGER_MAX),
  refused: count('Requests that a limit refused.', 0, INTEGER_MAX),
  failed: count('Admitted requests with an error response.', 0, INTEGER_MAX),
});

const DeprecatedUse = object('DeprecatedUse', {
  operationId,
  keyId,
  calls: count('Calls in the last 30 days.', 0, INTEGER_MAX),
  lastCalledAt: instant('The last call.'),
  sunset: Type.String({ format: 'date', description: 'When the operation is switched off.' }),
  successor: Type.String({ description: 'What to call instead.' }),
});

export const Usage = object('Usage', {
  windows: Type.Array(UsageWindow),
  bans: Type.Array(UsageBan),
  history: Type.Array(UsageEntry),
  historyCutAt: Type.Optional(
    Type.String({
      format: 'date',
      description:
        'Present if there are more entries than were read, the newest 5,000: entries of this day may be missing, and those of earlier days are.',
    }),
  ),
  deprecated: Type.Array(DeprecatedUse),
});

export const UsageMinute = object('UsageMinute', {
  minute: instant('When the minute began.'),
  admitted: count('Requests that were admitted.', 0, INTEGER_MAX),
  refused: count('Requests that a limit refused.', 0, INTEGER_MAX),
});

const PlanReplay = object('PlanReplay', {
  plan: choice(planIds, 'The plan.'),
  refused: count('Requests it would have refused.', 0, INTEGER_MAX),
  refusedByMinute: count('Of these, by its limit per minute.', 0, INTEGER_MAX),
  refusedByDay: count('Of these, by its limit per day.', 0, INTEGER_MAX),
});

export const UsageAdvice = object('UsageAdvice', {
  from: instant('Start of the period.'),
  to: instant('End of the period.'),
  plan: choice(planIds, 'The current plan.'),
  requests: count('Requests in the period, admitted or refused.', 0, INTEGER_MAX),
  busiestMinute: count('Requests in the busiest minute.', 0, INTEGER_MAX),
  plans: Type.Array(PlanReplay),
  recommended: choice(planIds, 'The cheapest plan that would have refused nothing.'),
});

export const exampleUsage = {
  windows: [
    { name: 'minute', limit: 60, remaining: 48, resetAt: '2026-11-15T09:31:00Z' },
    { name: 'day', limit: 1000, remaining: 640, resetAt: '2026-11-16T00:00:00Z' },
  ],
  bans: [{ keyId: 'J9AEtl3PL1VS', until: '2026-11-15T09:35:00Z', strikes: 2 }],
  history: [
    {
      date: '2026-11-15',
      keyId: '3ZrHIxYjJZft',
      operationId: 'getPet',
      admitted: 360,
      refused: 0,
      failed: 4,
    },
  ],
  deprecated: [
    {
      operationId: 'getPet',
      keyId: '3ZrHIxYjJZft',
      calls: 360,
      lastCalledAt: '2026-11-15T09:30:12Z',
      sunset: '2030-12-05',
      successor: 'GET /pets?id={petId}',
    },
  ],
};

export const exampleAdvice = {
  from: '2026-11-14T10:17:00Z',
  to: '2026-11-15T10:16:00Z',
  plan: 'free',
  requests: 1031,
  busiestMinute: 90,
  plans: [
    { plan: 'free', refused: 31, refusedByMinute: 30, refusedByDay: 1 },
    { plan: 'pro', refused: 0, refusedByMinute: 0, refusedByDay: 0 },
    { plan: 'business', refused: 0, refusedByMinute: 0, refusedByDay: 0 },
  ],
  recommended: 'pro',
};

export const Plan = object('Plan', {
  id: choice(planIds, 'The plan.'),
  name: Type.String({ description: 'The name of the plan.' }),
  perMinute: Type.Optional(
    count('Requests per minute; absent if agreed individually.', 1, INTEGER_MAX),
  ),
  perDay: Type.Optional(count('Requests per day; absent if agreed individually.', 1, INTEGER_MAX)),
});
