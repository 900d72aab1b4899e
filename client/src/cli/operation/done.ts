// What a change did, in one line for people: `Order 178 cancelled; 2 units released.`

import type { OperationCommand } from '../command.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Change {
  command: OperationCommand;
  /** The ids that were typed. */
  words: readonly string[];
  /** The answer, if it had a body. */
  data: Fields | undefined;
  /** The record before it was deleted, if it could be read. */
  before: Fields | undefined;
  status: number;
  isReplay: boolean;
  isDryRun: boolean;
}

type Line = (facts: { id: string; data: Fields; before: Fields; change: Change }) => string;

const pet: Line = ({ data, change }) => named('Pet', data, outcomeOf(change));
const category: Line = ({ data, change }) => named('Category', data, outcomeOf(change));
const webhook: Line = ({ id, change }) => `Webhook ${id} ${outcomeOf(change)}`;
const order: Line = ({ id, change }) => `Order ${id} ${outcomeOf(change)}`;
const workspace: Line = ({ data, change }) => `Workspace ${data.name} ${outcomeOf(change)}`;
/** Suspended, closing, or active again. */
const workspaceState: Line = ({ data: { name, state, eraseAt } }) =>
  `Workspace ${name} is ${state}${eraseAt ? `; its records are deleted at ${eraseAt}` : ''}`;
const revokedKey: Line = ({ id, before }) => named('Key', { id, ...before }, 'revoked');
const newWorkspace: Line = ({ data }) => named('Workspace', data.workspace as Fields, 'created');
const movement: Line = ({ data }) =>
  `Stock of pet ${data.petId} changed from ${data.quantityBefore} to ${data.quantityAfter}`;

/** The lines of operations, without the full stop. */
const lines: Readonly<Record<string, Line>> = {
  createPet: pet,
  updatePet: pet,
  putPetByReference: pet,
  deletePet: ({ id, before }) => named('Pet', { id, ...before }, 'deleted'),
  createPets: ({ data }) => countsOf(data, ['created', 'updated', 'refused'], 'pet'),
  createCategory: category,
  updateCategory: category,
  deleteCategory: ({ id, before }) => named('Category', { id, ...before }, 'deleted'),
  updateInventory: ({ data }) =>
    `Pet ${data.petId} has ${units(data.quantity)}, ${data.available} available`,
  adjustInventory: movement,
  reverseMovement: movement,
  setStock: ({ data }) => countsOf(data, ['changed', 'unchanged', 'refused'], 'row'),
  placeOrder: ({ id, data }) =>
    data.complete
      ? `Order ${id} placed and complete; ${units(data.quantity)} sold`
      : `Order ${id} placed; ${units(data.quantity)} reserved`,
  placeOrders: ({ data }) => countsOf(data, ['placed', 'refused'], 'order'),
  updateOrder: (facts) =>
    facts.change.command.name === 'orders complete'
      ? `Order ${facts.id} complete; ${units(facts.data.quantity)} sold`
      : order(facts),
  cancelOrder: ({ id, before }) =>
    `Order ${id} cancelled${before.quantity ? `; ${units(before.quantity)} released` : ''}`,
  updateWorkspace: workspace,
  adminUpdateWorkspace: workspace,
  closeWorkspace: workspaceState,
  reopenWorkspace: workspaceState,
  adminSuspendWorkspace: workspaceState,
  adminResumeWorkspace: workspaceState,
  adminCloseWorkspace: workspaceState,
  adminReopenWorkspace: workspaceState,
  signUp: newWorkspace,
  adminCreateWorkspace: newWorkspace,
  createKey: ({ data }) => `${named('Key', data, 'created')}; it is shown only now`,
  rotateKey: ({ data, change }) =>
    `${named('Key', data, 'created')} in place of ${change.words[0]}; it is shown only now`,
  revokeKey: revokedKey,
  adminRevokeKey: revokedKey,
  adminAddGrant: ({ id }) => `Requests added to this UTC day of workspace ${id}`,
  createWebhook: webhook,
  updateWebhook: webhook,
  deleteWebhook: webhook,
  rotateWebhookSecret: ({ id }) => `Webhook ${id} has a new secret`,
  replayWebhook: ({ id, data }) => `Webhook ${id} goes on after ${data.cursor}`,
  adminLiftBan: ({ id }) => `Ban of key ${id} lifted`,
};

const outcomes: Readonly<Record<string, string>> = {
  POST: 'created',
  PATCH: 'updated',
  PUT: 'updated',
  DELETE: 'deleted',
};

/** The line without the program's name in front: it says what is now so, not what went wrong. */
export function doneText(change: Change): string {
  const { command, words, data = {}, before = {}, isReplay, isDryRun } = change;
  if (isDryRun) return 'Dry run: it would be done; nothing was changed.';
  const id = String(words[0] ?? data.id ?? '');
  const line = lines[command.operation] ?? (() => `Done: ${command.summary.toLowerCase()}`);
  const earlier = isReplay ? ', by an earlier request with this Idempotency-Key' : '';
  return `${line({ id, data, before, change })}${earlier}.`.replace(/\p{Cc}+/gu, ' ');
}

function outcomeOf({ command, status }: Change): string {
  return status === 201 ? 'created' : outcomes[command.method]!;
}

/** `Pet Guppy (21) deleted`, or `Pet 21 deleted` if its name is not known. */
function named(noun: string, { id, name }: Fields, outcome: string): string {
  return `${noun} ${name === undefined ? id : `${name} (${id})`} ${outcome}`;
}

export function units(count: unknown): string {
  return count === 1 ? '1 unit' : `${count} units`;
}

/** `2 pets created, 1 refused`: the first count names the noun, and others of 0 are left out. */
function countsOf(data: Fields, names: readonly string[], noun: string): string {
  const present = names.filter((name, at) => (at === 0 ? data[name] !== undefined : data[name]));
  return present
    .map((name, at) => {
      const count = data[name];
      return at > 0 ? `${count} ${name}` : `${count} ${noun}${count === 1 ? '' : 's'} ${name}`;
    })
    .join(', ');
}
