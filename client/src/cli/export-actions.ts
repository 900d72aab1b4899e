// The commands that write a file of many records.

import { type Action, optionsOf } from './action.ts';
import type { Option, Options } from './command.ts';

const auditFormat: Option = {
  kind: 'value',
  value: 'FORMAT',
  description: 'Of the file. Default: ndjson.',
  choices: ['ndjson', 'csv'],
};
const archive: Option = {
  kind: 'value',
  value: 'FILE',
  description: 'The file, which must not exist yet. Required.',
};

function auditOptions(operation: string): Options {
  const filters = ['workspace-id', 'action', 'target', 'actor', 'from', 'to'];
  return { format: auditFormat, ...optionsOf(operation, filters) };
}

export const exportActions: Readonly<Record<string, Action>> = {
  'audit export': {
    summary: 'Write the audit log of the workspace to standard output',
    usage: 'audit export',
    options: auditOptions('listAudit'),
    example: 'petstore audit export --format csv > audit.csv',
    load: async () => (await import('./actions/export-audit.ts')).exportAudit,
  },
  'audit export-any': {
    summary: 'Write the audit log of one workspace, or of all, to standard output, as an operator',
    usage: 'audit export-any',
    options: auditOptions('adminListAudit'),
    example: 'petstore audit export-any --workspace-id 2 --format csv > audit.csv',
    load: async () => (await import('./actions/export-audit.ts')).exportAnyAudit,
  },
  'workspaces export-own': {
    summary: 'Write all records of the workspace into a new file, a tar.gz',
    usage: 'workspaces export-own --to FILE',
    options: { to: archive },
    example: 'petstore workspaces export-own --to workspace.tar.gz',
    load: async () => (await import('./actions/export-workspace.ts')).exportOwn,
  },
  'workspaces export': {
    summary: 'Write all records of any workspace into a new file, a tar.gz',
    usage: 'workspaces export WORKSPACE_ID --to FILE',
    wordsMax: 1,
    options: { to: archive },
    example: 'petstore workspaces export 2 --to workspace.tar.gz',
    load: async () => (await import('./actions/export-workspace.ts')).exportAny,
  },
};
