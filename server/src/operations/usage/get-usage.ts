import { usageReport } from '../../services/usage-report.ts';
import { readOperation } from '../operation.ts';
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
    'The windows and bans now, 30 days of history by key and operation, and calls of deprecated operations. Costs no quota; at most 60 a minute per key.',
  success: value(Usage, 'The usage of the workspace.'),
  example: exampleUsage,
  handle: async ({ caller, now }, store, { limiter, usage, deprecations }) => {
    await usage.flush();
    const { windows } = await limiter.peek(caller);
    const { workspaceId } = caller;
    const bans = await limiter.bans(workspaceId);
    const report = await usageReport(store, { workspaceId, deprecations, now });
    return usageView({ windows, bans, report });
  },
});
