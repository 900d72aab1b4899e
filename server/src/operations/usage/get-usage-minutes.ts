import { MINUTE_MS } from '../../domain/durations.ts';
import { readOperation } from '../operation.ts';
import { integer } from '../parameters.ts';
import { Type } from '../schemas/type.ts';
import { UsageMinute } from '../schemas/usage.ts';
import { value } from '../success.ts';
import { minutesView } from '../views/usage.ts';

const MINUTES_DEFAULT = 60;
const MINUTES_MAX = 1_440;

export const getUsageMinutes = readOperation({
  id: 'getUsageMinutes',
  method: 'GET',
  path: '/usage/minutes',
  tag: 'usage',
  scope: 'read',
  metering: 'account',
  stability: 'experimental',
  summary: 'Get the requests of each minute',
  description:
    'The last minutes, oldest first; the current one is the last. Minutes are those of the clock, not of the window. Costs no quota; at most 60 a minute per key.',
  query: {
    minutes: integer('How many minutes; 60 if absent.', {
      minimum: 1,
      maximum: MINUTES_MAX,
      default: MINUTES_DEFAULT,
    }),
  },
  success: value(Type.Array(UsageMinute), 'The minutes, those without a request included.'),
  example: [{ minute: '2026-11-15T09:30:00Z', admitted: 58, refused: 2 }],
  handle: async ({ caller, query, now }, store, { usage }) => {
    await usage.flush();
    const last = Math.floor(now / MINUTE_MS);
    const first = last - (query.minutes ?? MINUTES_DEFAULT) + 1;
    return minutesView(await store.usage.minutes(caller.workspaceId, first), { first, last });
  },
});
