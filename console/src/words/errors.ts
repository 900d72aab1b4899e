import { count } from '../ui/format.ts';
import { wordsOf } from './words-of.ts';

export const soldMeanwhile = (available: number) =>
  available === 0
    ? 'Sold out a moment ago.'
    : `Not enough is left: ${count(available, 'unit')} can still be sold.`;

/** What an error of the service means to the reader. An unknown code shows the service's own message. */
export const errorWords: Record<string, (details: Record<string, unknown>) => string> = wordsOf({
  insufficient_stock: ({ available }) =>
    `${soldMeanwhile(Number(available ?? 0))} Nothing was changed.`,
  below_reserved: ({ reserved }) =>
    `Open orders hold ${count(Number(reserved ?? 0), 'unit')}, so the count cannot go below that. Nothing was changed.`,
  pet_on_hold: () => 'This pet is on hold and cannot be ordered. Lift the hold first.',
  order_complete: () =>
    'This order is fulfilled already, so it cannot change. Nothing was changed.',
  pet_has_open_orders: ({ reserved }) =>
    `Open orders hold ${count(Number(reserved ?? 0), 'unit')} of it. Fulfil or cancel them first. Nothing was changed.`,
  category_in_use: () =>
    'This category still has pets. Move them to another category or delete them first. Nothing was changed.',
  category_name_taken: () =>
    'Another category has this name already; upper and lower case make no difference. Choose another name.',
  invalid_status_change: ({ from }) =>
    from === 'sold'
      ? 'None is on hand, so it cannot be put on hold. Add stock first.'
      : 'Open orders hold all its units: there is no hold to lift. Add stock or cancel orders.',
  not_found: () => 'It is no longer there. Someone may have deleted it.',
  precondition_failed: () => 'It changed while you had it open.',
  last_manage_key: () =>
    'This is the last key that may manage the workspace, so it cannot be revoked. Create another one first.',
  key_already_rotated: () =>
    'This key was rotated already. Rotate the key that took its place, or revoke this one.',
  insufficient_scope: ({ scope }) => `Your key lacks the scope “${scope}”. Nothing was changed.`,
  replay_required: () =>
    'The events where it stopped are no longer kept. Choose with Replay where to go on, then enable it.',
  cursor_unknown: () => 'The feed has no such event. Nothing was changed.',
  events_expired: () => 'The events after this place are no longer kept.',
  webhook_limit_reached: () =>
    'The workspace has as many webhooks as it may have. Delete one first.',
  webhook_not_enabled: () =>
    'Nothing is sent to this webhook while it is disabled or not verified. Enable it or ping it first.',
  connection_failed: () => 'The service does not answer. It may be restarting; nothing was lost.',
  timeout: () => 'The service took too long to answer.',
  unavailable: () => 'The service is busy or restarting. Try again in a few seconds.',
  idempotency_in_progress: () => 'This change is still being saved. Try again in a moment.',
  key_banned: () => 'This session is banned for now: too many refused requests.',
});
