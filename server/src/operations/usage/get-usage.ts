import { formatInstant } from '../../lib/instant.ts';
import { usageReport } from '../../services/usage-report.ts';
import { readOperation, value } from '../operation.ts';
import { Usage } from '../schemas/usage.ts';

export const getUsage = readOperation({
  id: 'getUsage',
  method: 'GET',
  path: '/usage',
  tag: 'usage',
  scope: 'read',
  metering: 'own',
  summary: 'See what was used',
  description:
    'Both windows now, bans, 30 days by key, operation and outcome, and calls to deprecated operations. Costs no quota; at most 60 a minute per key.',
  success: value(Usage, 'The usage of the workspace.'),
  handle: async ({ caller, now }, store, { limiter, usage, deprecations }) => {
    await usage.flush();
    const { windows } = await limiter.peek(caller);
    const bans = await limiter.bans(caller.workspaceId);
    const report = await usageReport(store, caller.workspaceId, deprecations, now);
    return {
      windows: windows.map(({ resetAt, ...rest }) => ({
        ...rest,
        resetAt: formatInstant(resetAt),
      })),
      bans: bans.map(({ keyId, until, strikes }) => ({
        keyId,
        until: formatInstant(until),
        strikes,
      })),
      ...report,
    };
  },
});
