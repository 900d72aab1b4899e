import { scopes } from '../../domain/key.ts';
import { planIds } from '../../domain/plan.ts';
import { STOCK_MAX } from '../../domain/stock.ts';
import { choice, count, id, instant, name, object } from './fields.ts';
import { Type } from './type.ts';
import { Limits, standing } from './workspace.ts';

export const Session = object('Session', {
  workspaceId: id('The workspace.'),
  workspaceName: name('The name of the store.', 'Happy Paws'),
  plan: choice(planIds, 'The plan of the workspace.'),
  limits: Limits,
  lowStockAt: Type.Optional(
    count(
      'The number of available units at which stock is low; absent if none is set.',
      0,
      STOCK_MAX,
    ),
  ),
  ...standing,
  scopes: Type.Array(choice(scopes, 'A scope.'), {
    description: 'What the session may do: what its key may do.',
  }),
  keyId: Type.String({
    description: 'The id of the session. The ledger and the usage report name it.',
  }),
  expiresAt: instant('When the session ends.'),
  eventsCursor: Type.String({
    description:
      'The end of the feed just before this response. Read the data, then start a stream after this cursor: it misses no event.',
  }),
});

export const exampleSession = {
  workspaceId: 1,
  workspaceName: 'default',
  plan: 'free',
  limits: { perMinute: 60, perDay: 1000 },
  state: 'active',
  stateSince: '2026-11-15T09:00:00Z',
  scopes: ['read', 'write', 'manage'],
  keyId: '3ZrHIxYjJZft',
  expiresAt: '2026-11-15T21:00:00Z',
  eventsCursor: 'evt_1_455_13xfq05',
};
