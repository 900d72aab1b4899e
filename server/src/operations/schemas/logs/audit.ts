import { actorTypes, auditActions } from '../../../domain/logs/audit.ts';
import { choice, id, instant, object } from '../fields.ts';
import { Type } from '../type.ts';

/** Every field that a row may show. A new one is listed here, so that none leaks. Null: the field was not set. */
const names = [
  ...['name', 'scopes', 'expiresAt', 'newKeyId', 'keyId', 'plan', 'limits', 'lowStockAt'],
  ...['url', 'types', 'description', 'batchMax', 'perSecondMax', 'state', 'overlapSeconds'],
  ...['cursor', 'until', 'strikes', 'perDay', 'reason', 'eraseAt', 'command', 'pets', 'petId'],
];

const fields = (description: string) =>
  Type.Optional(
    Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())])), {
      additionalProperties: false,
      description,
    }),
  );

const Actor = object(
  'Actor',
  {
    type: choice(
      actorTypes,
      'A key, a session of the console, an operator, a command on the machine, or the service itself.',
    ),
    id: Type.Optional(
      Type.String({
        description:
          'The key or session; for a command, the host. Of operators and commands only operators see it.',
      }),
    ),
    name: Type.Optional(
      Type.String({ description: 'The name of the key at that time; for a command, the user.' }),
    ),
  },
  { description: 'Who made the change.' },
);

export const AuditEntry = object('AuditEntry', {
  id: id('ID of the row.'),
  at: instant('When the change was made.'),
  workspaceId: Type.Optional(
    id('The workspace that was changed; only for operators, and absent if none was.'),
  ),
  action: choice(auditActions, 'What was done.'),
  actor: Actor,
  target: Type.String({
    description: 'What was changed: `key:ID`, `session:ID`, `webhook:ID` or `workspace`.',
    example: 'key:3ZrHIxYjJZft',
  }),
  before: fields('The fields that changed, as they were.'),
  after: fields('The fields that changed, as they are since. Never a secret.'),
  requestId: Type.Optional(
    Type.String({ description: 'The request that made the change, if one did.' }),
  ),
  address: Type.Optional(
    Type.String({ description: 'The address of the client; removed after 90 days.' }),
  ),
});

export const exampleAuditEntry = {
  id: 12,
  at: '2026-11-15T09:00:00Z',
  action: 'key.created' as const,
  actor: { type: 'key' as const, id: '3ZrHIxYjJZft', name: 'first key' },
  target: 'key:4f9ZkQ2mXw7a',
  after: { name: 'web shop', scopes: ['read', 'write'] },
  requestId: '8c1f0b6e92d47a3f5e-4f',
  address: '192.0.2.7',
};
