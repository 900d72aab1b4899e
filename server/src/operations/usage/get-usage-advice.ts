import { advise } from '../../domain/advice.ts';
import { MINUTE_MS, MINUTES_A_DAY } from '../../domain/durations.ts';
import { noWorkspace } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { exampleAdvice, UsageAdvice } from '../schemas/usage.ts';
import { value } from '../success.ts';
import { adviceView } from '../views/usage.ts';

export const getUsageAdvice = readOperation({
  id: 'getUsageAdvice',
  method: 'GET',
  path: '/usage/advice',
  tag: 'usage',
  scope: 'read',
  metering: 'account',
  stability: 'experimental',
  summary: 'Get advice on the plan',
  description:
    'Replays the last 24 hours, minute by minute, against every plan. Costs no quota; at most 60 a minute per key.',
  success: value(
    UsageAdvice,
    'What each plan would have refused, and the cheapest plan that fits.',
  ),
  example: exampleAdvice,
  handle: async ({ caller, now }, store, { usage }) => {
    await usage.flush();
    const workspace = await store.workspaces.find(caller.workspaceId);
    if (!workspace) throw noWorkspace(caller.workspaceId);
    const minute = Math.floor(now / MINUTE_MS);
    const from = minute - MINUTES_A_DAY + 1;
    const advice = advise(await store.usage.minutes(caller.workspaceId, from));
    return adviceView({ advice, plan: workspace.plan, from: from * MINUTE_MS, to: now });
  },
});
