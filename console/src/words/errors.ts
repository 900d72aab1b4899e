import { count, number } from '../ui/format.ts';
import { inventoryWords } from './inventory.ts';
import { wordsOf } from './words-of.ts';

export const soldMeanwhile = (available: number) =>
  available === 0
    ? 'This just sold out.'
    : `Not enough stock: only ${count(available, 'unit')} left.`;

/** What is said of some lines of an order; `lines` counts from 0. */
export const inLines = (lines: readonly number[], text: string) =>
  `Line ${lines.map((line) => number(line + 1)).join(', ')}: ${text}`;

export const orderEnded = (state: unknown) =>
  `This order is ${state === 'complete' ? 'fulfilled' : state} and can no longer be changed.`;

/** What an error of the service means to the reader. An unknown code shows the service's own message. */
export const errorWords: Record<string, (details: Record<string, unknown>) => string> = wordsOf({
  insufficient_stock: ({ available }) =>
    `${soldMeanwhile(Number(available ?? 0))} Nothing was changed.`,
  below_reserved: ({ reserved }) =>
    `${inventoryWords.tooFew(Number(reserved ?? 0))} Nothing was changed.`,
  pet_on_hold: () => 'This pet is on hold and cannot be ordered. Remove the hold first.',
  order_complete: () => orderEnded('complete'),
  order_ended: ({ state }) => orderEnded(state),
  reference_taken: ({ petId }) =>
    `Pet ${petId} already has this reference. Choose another. Nothing was changed.`,
  pet_has_open_orders: ({ reserved }) =>
    `${count(Number(reserved ?? 0), 'unit is', 'units are')} reserved for open orders. Fulfil or cancel those orders first. Nothing was changed.`,
  category_in_use: () =>
    'This category still has pets. Move them to another category or delete them first. Nothing was changed.',
  category_name_taken: () =>
    'Another category already has this name. Choose a different one. Case does not matter.',
  invalid_status_change: ({ from }) =>
    from === 'sold'
      ? 'This pet is out of stock, so it cannot be put on hold. Add stock first.'
      : 'All units are reserved for open orders. There is no hold to remove.',
  not_found: ({ gone }) =>
    `This${gone ? ` ${gone}` : ''} no longer exists. Someone may have deleted it.`,
  precondition_failed: () => 'Someone else changed this while you had it open.',
  last_manage_key: () =>
    'This is the last key with the “manage” scope, so it cannot be revoked. Create another one first.',
  last_operate_key: () =>
    'This is the last key of the service with the “operate” scope, so it cannot be revoked. Create another one first.',
  key_already_rotated: () =>
    'This key was already rotated. Rotate the new key, or revoke this one.',
  insufficient_scope: ({ scope }) =>
    `Your key does not have the “${scope}” scope. Nothing was changed.`,
  replay_required: () =>
    'The events after the last delivery are no longer stored. Use Replay to choose where to resume, then enable the webhook.',
  cursor_unknown: () => 'There is no such event. Nothing was changed.',
  events_expired: () => 'The events after this one are no longer stored.',
  webhook_limit_reached: () => 'You have reached the maximum number of webhooks. Delete one first.',
  webhook_not_enabled: () =>
    'Nothing is sent to this webhook while it is disabled or not verified. Enable it or ping it first.',
  workspace_suspended: () => 'This workspace is suspended. Nothing was changed.',
  workspace_closing: () => 'This workspace is closing and cannot be changed. Reopen it first.',
  workspace_state: () => 'The workspace is in another state by now. Reload the page.',
  operator_workspace: () =>
    'A key of this workspace operates the service, so it cannot be suspended or closed. Revoke that key first.',
  operator_only: () => 'Only the operator of this service can do this.',
  plan_by_operator: () =>
    'Only the operator of this service can make this change of plan. Nothing was changed.',
  connection_failed: () => 'There is no connection to the service. A change may not be saved.',
  timeout: () => 'The service took too long to answer. A change may not be saved.',
  unavailable: () => 'The service is busy or restarting. Try again in a few seconds.',
  idempotency_in_progress: () => 'This change is still being saved. Try again in a moment.',
  idempotency_key_reused: () =>
    'Your earlier attempt was saved, and this one was not. Check the result first.',
  key_banned: () => 'This session is banned for now: too many refused requests.',
});
