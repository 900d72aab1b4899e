/** What the audit log records. Each is one change, committed together with its row. */
export const auditActions = [
  'key.created',
  'key.rotated',
  'key.revoked',
  'session.opened',
  'session.ended',
  'plan.changed',
  'limits.changed',
  'grant.added',
  'ban.started',
  'ban.lifted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.rotated',
  'webhook.replayed',
  'workspace.created',
  'workspace.updated',
  'workspace.suspended',
  'workspace.resumed',
  'workspace.closed',
  'workspace.reopened',
  'workspace.erased',
  'workspace.exported',
  'workspace.imported',
  'command.run',
] as const;
export type AuditAction = (typeof auditActions)[number];

export const actorTypes = ['key', 'session', 'operator', 'command', 'service'] as const;

/** Who made a change. A command has the host as its id and the user as its name. */
export interface Actor {
  type: (typeof actorTypes)[number];
  id?: string;
  name?: string;
}

/** Who makes the changes of a transaction. */
export interface Author {
  actor: Actor;
  /** The workspace of the key, session or operator. */
  workspaceId?: number;
  requestId?: string;
  address?: string;
}

type Fields = Readonly<Record<string, unknown>>;

export interface AuditRecord {
  id: number;
  workspaceId: number;
  at: number;
  action: AuditAction;
  actor: Actor;
  /** `key:ID`, `session:ID`, `webhook:3`, `workspace`, or `service` for a command that concerns all workspaces. */
  target: string;
  /** The fields that changed, as they were. */
  before?: Fields;
  after?: Fields;
  requestId?: string;
  address?: string;
}

export interface AuditFilter {
  action?: AuditAction | undefined;
  target?: string | undefined;
  /** The id of the actor. */
  actor?: string | undefined;
  /** Included. */
  from?: number | undefined;
  /** Excluded. */
  to?: number | undefined;
}

/** The owner of a workspace learns that an operator, or a command on the machine, made a change, and not who. */
export const hiddenActors: readonly Actor['type'][] = ['operator', 'command'];
