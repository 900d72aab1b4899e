import type { Bug } from './bug.ts';

const STATES = ['operations/workspace/states.test.ts'];

/** Bugs of the states of a workspace, of its erasure, and of what its logs say. */
export const tenantBugs: readonly Bug[] = [
  {
    name: 'a suspended workspace can be read',
    file: 'server/src/http/steps/limit.ts',
    find: ": state === 'closing' && isRead;",
    replace: ': isRead;',
    tests: STATES,
  },
  {
    name: 'a workspace that is closing can be written',
    file: 'server/src/http/steps/limit.ts',
    find: ": state === 'closing' && isRead;",
    replace: ": state === 'closing' || (isRead && !standing);",
    tests: STATES,
  },
  {
    name: 'events of a suspended workspace are delivered',
    file: 'server/src/services/tenants/workspace-states.ts',
    find: '  else await tx.webhooks.pauseAll(id, now);\n',
    replace: '',
    tests: ['operations/workspace/suspension.test.ts'],
  },
  {
    name: 'erasing a workspace leaves its log of requests',
    file: 'server/src/datastore/tenants/erasure.ts',
    find: 'workspaceTables.toReversed()',
    replace: "workspaceTables.toReversed().filter(({ name }) => name !== 'request_log')",
    tests: ['datastore/tables.test.ts'],
  },
  {
    name: 'erasing a workspace leaves what was stored for a sign-up',
    file: 'server/src/services/tenants/erase-workspaces.ts',
    find: 'of [NO_WORKSPACE, ...',
    replace: 'of [...',
    tests: ['operations/workspace/erasure.test.ts'],
  },
  {
    name: 'a workspace is erased before its time',
    file: 'server/src/datastore/tenants/erasure.ts',
    find: '} AND erase_at <= $',
    replace: '} AND 0 < $',
    tests: ['operations/workspace/erasure.test.ts'],
  },
  {
    name: 'the audit log names the service for what a key has changed',
    file: 'server/src/services/logs/audit.ts',
    find: 'tx.by ?? SERVICE',
    replace: 'SERVICE',
    tests: ['operations/audit/audit.test.ts'],
  },
  {
    name: 'a suspended workspace is served by the credential in a cache',
    file: 'server/src/datastore/tenants/workspaces.ts',
    find: "    await recordChange(this.runner, { workspaceId: id, kind: 'workspace', subject: String(id) });\n",
    replace: '',
    tests: STATES,
  },
  {
    name: 'a workspace is erased early because the clock was set ahead',
    file: 'server/src/lib/clock.ts',
    find: 'Math.min(clock.now(), Math.floor(offset + monotonic()))',
    replace: 'Math.max(clock.now(), Math.floor(offset + monotonic()))',
    tests: ['tenants/erase-crash.test.ts'],
  },
  {
    name: 'a webhook whose secret was lost stays enabled',
    file: 'server/src/services/lost-secrets.ts',
    find: '  await tx.webhooks.update(after);\n',
    replace: '',
    tests: ['process/webhooks.test.ts'],
  },
  {
    name: 'a row of the audit log is written after its change is committed',
    file: 'server/src/services/logs/audit.ts',
    find: 'await tx.auditLog.add({ ...audit, ...origin, actor: named, at: now });',
    replace:
      'setTimeout(() => void tx.auditLog.add({ ...audit, ...origin, actor: named, at: now }), 20);',
    tests: ['survival/audit-crash.test.ts'],
  },
  {
    name: 'the request log keeps queries',
    file: 'server/src/http/response/record-request.ts',
    find: 'const path = pathIn(request.raw.url!);',
    replace: 'const path = request.raw.url ?? pathIn(request.url);',
    tests: ['operations/requests/requests.test.ts'],
  },
  {
    name: 'a request of another workspace is found by its id',
    file: 'server/src/datastore/logs/request-log.ts',
    find: 'WHERE id = $1 AND workspace_id = $2',
    replace: 'WHERE id = $1 AND CAST($2 AS BIGINT) > 0',
    tests: ['operations/requests/requests.test.ts'],
  },
];
