import type { Bug } from './bug.ts';

const STATES = ['operations/workspace/states.test.ts'];

/** Bugs of the states of a workspace and of its audit log. */
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
    name: 'the audit log names the service for what a key has changed',
    file: 'server/src/services/logs/audit.ts',
    find: 'tx.by ?? SERVICE',
    replace: 'SERVICE',
    tests: ['operations/audit/audit.test.ts'],
  },
];
