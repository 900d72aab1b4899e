import { DAY_MS } from '../../domain/durations.ts';
import { HISTORY_DAYS } from '../../services/usage-recorder.ts';
import { usageReport } from '../../services/usage-report.ts';
import { readOperation } from '../operation.ts';
import { integer } from '../parameters.ts';
import { exampleUsage, Usage } from '../schemas/usage.ts';
import { value } from '../success.ts';
import { usageView } from '../views/usage.ts';

export const getUsage = readOperation({
  id: 'getUsage',
  method: 'GET',
  path: '/usage',
  tag: 'usage',
  scope: 'read',
  metering: 'account',
  summary: 'Get the usage of the workspace',
  description:
    'The windows and bans now, 30 days of history by key and operation, and calls of deprecated operations. Reads at most 5,000 entries of the history. Costs no quota; at most 60 a minute per key.',
  query: {
    days: integer('How many days of history, today included; 30 if absent.', {
      minimum: 1,
      maximum: HISTORY_DAYS,
      default: HISTORY_DAYS,
    }),
  },
  success: value(Usage, 'The usage of the workspace.'),
  example: exampleUsage,
  handle: async ({ caller, query, now }, store, { limiter, usage, deprecations }) => {
    await usage.flush();
    const { windows } = await limiter.peek(caller);
    const { workspaceId } = caller;
    const bans = await limiter.bans(workspaceId);
    const report = await usageReport(store, { workspaceId, deprecations, now });
    const from = Math.floor(now / DAY_MS) - (query.days ?? HISTORY_DAYS) + 1;
    const history = report.days.filter(({ day }) => day >= from);
    const { cutAt = 0, ...rest } = report;
    const cut = cutAt >= from ? { cutAt } : {};
    return usageView({ windows, bans, report: { ...rest, ...cut, days: history } });
  },
});
