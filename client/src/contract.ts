// Generated from the operations by `npm run generate`. Do not edit.

import type { Call } from './call.ts';
import type { DetailsOf, ErrorCode } from './error-codes.ts';
import { streamEvents } from './event-stream.ts';
import { Group } from './group.ts';
import type { DryRunOptions, RequestOptions, StreamOptions, WriteOptions } from './options.ts';
import type { ListCall } from './page.ts';

/** What a dry run returns: a record without its id, or a batch with other rows. */
export type Preview<T, Row = never> = [Row] extends [never]
  ? Omit<T, 'id'>
  : Omit<T, 'results'> & { results: Row[] };

/** The ids of the operations that read. */
export type ReadOperation = 'listPets' | 'getPet' | 'listCategories' | 'getCategory' | 'listInventory' | 'getInventoryItem' | 'listMovements' | 'listLedger' | 'listOrders' | 'getOrder' | 'getWorkspace' | 'exportWorkspace' | 'listKeys' | 'getSession' | 'listPlans' | 'getUsage' | 'getUsageAdvice' | 'getUsageMinutes' | 'listAudit' | 'exportAudit' | 'listRequests' | 'getRequest' | 'listEvents' | 'getEvent' | 'streamEvents' | 'listWebhooks' | 'getWebhook' | 'listAttempts' | 'listParked' | 'adminListWorkspaces' | 'adminGetWorkspace' | 'adminExportWorkspace' | 'adminListKeys' | 'adminListBans' | 'adminListAudit' | 'adminExportAudit' | 'adminListRequests' | 'adminGetRequest' | 'adminListNodes';

/** The ids of the operations that write. */
export type WriteOperation = 'createPet' | 'createPets' | 'putPetByReference' | 'updatePet' | 'deletePet' | 'createCategory' | 'updateCategory' | 'deleteCategory' | 'updateInventory' | 'setStock' | 'adjustInventory' | 'reverseMovement' | 'placeOrder' | 'placeOrders' | 'updateOrder' | 'cancelOrder' | 'updateWorkspace' | 'closeWorkspace' | 'reopenWorkspace' | 'signUp' | 'createKey' | 'revokeKey' | 'rotateKey' | 'createSession' | 'deleteSession' | 'createWebhook' | 'updateWebhook' | 'deleteWebhook' | 'rotateWebhookSecret' | 'pingWebhook' | 'replayWebhook' | 'redeliverEvent' | 'adminCreateWorkspace' | 'adminUpdateWorkspace' | 'adminSuspendWorkspace' | 'adminResumeWorkspace' | 'adminAddGrant' | 'adminCloseWorkspace' | 'adminReopenWorkspace' | 'adminRevokeKey' | 'adminLiftBan';

export interface Actor {
  /** A key, a session of the console, an operator, a command on the machine, or the service itself. */
  type: 'key' | 'session' | 'operator' | 'command' | 'service';
  /** The key or session; for a command, the host. Of operators and commands only operators see it. */
  id?: string;
  /** The name of the key at that time; for a command, the user. */
  name?: string;
}

export interface AdjustedItem {
  /** ID of the pet; each pet at most once. */
  petId: number;
  /** Units to add (positive) or to remove (negative); not 0. */
  delta: number;
  /** Why it changes, for the ledger. */
  reason: string;
  /** What it refers to, for the ledger. */
  reference?: string;
  /** What was on hand when it was counted. If that differs by now, the item is refused. */
  expected?: number;
}

export interface Adjustment {
  /** Units to add (positive) or to remove (negative); not 0. */
  delta: number;
  /** Why it changes, for the ledger. */
  reason: string;
  /** What it refers to, for the ledger. */
  reference?: string;
}

export interface AdminClosing {
  /** The exact name of the workspace. */
  name: string;
  /** Days until its records are deleted; 30 if absent. */
  graceDays?: number;
  /** Why. The owner sees it. */
  reason?: string;
}

export interface AdminExportAuditQuery {
  /** The format; `ndjson` if absent. */
  format?: 'ndjson' | 'csv' | undefined;
  /** Only rows of this workspace. */
  workspaceId?: number | undefined;
  /** Only rows of this action. */
  action?: AuditAction | undefined;
  /** Only rows about this: `key:ID`, `webhook:3`, `workspace`. */
  target?: string | undefined;
  /** Only rows of the actor with this id, such as a key. */
  actor?: string | undefined;
  /** Only rows at this time or later. */
  from?: string | Date | undefined;
  /** Only rows before this time. */
  to?: string | Date | undefined;
}

export interface AdminGetRequestQuery {
  /** Only a request of this workspace. */
  workspaceId?: number | undefined;
}

export interface AdminListAuditQuery {
  /** Only rows of this workspace. */
  workspaceId?: number | undefined;
  /** Only rows of this action. */
  action?: AuditAction | undefined;
  /** Only rows about this: `key:ID`, `webhook:3`, `workspace`. */
  target?: string | undefined;
  /** Only rows of the actor with this id, such as a key. */
  actor?: string | undefined;
  /** Only rows at this time or later. */
  from?: string | Date | undefined;
  /** Only rows before this time. */
  to?: string | Date | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `-at` if absent. A minus sign reverses it. */
  sort?: 'at' | '-at' | undefined;
}

export interface AdminListBansQuery {
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface AdminListKeysQuery {
  /** Only keys whose id is this one or begins with it; also a `hint`, or the first 16 characters of a key. */
  id?: string | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface AdminListNodesQuery {
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface AdminListRequestsQuery {
  /** Requests of this workspace. */
  workspaceId?: number | undefined;
  /** Only requests with this status, such as `409`, or of this class, such as `4xx`. */
  status?: string | undefined;
  /** Only requests that failed with this code. */
  code?: string | undefined;
  /** Only requests of this operation. */
  operationId?: string | undefined;
  /** Only requests of this API key or session. */
  keyId?: string | undefined;
  /** Only requests at this time or later. */
  from?: string | Date | undefined;
  /** Only requests before this time. */
  to?: string | Date | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `-at` if absent. A minus sign reverses it. */
  sort?: 'at' | '-at' | undefined;
}

export interface AdminListWorkspacesQuery {
  /** Only those in this state. */
  state?: 'active' | 'suspended' | 'closing' | 'erased' | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface AdminWorkspacePatch {
  /** The name of the store. 1 to 200 characters after trimming. */
  name?: string;
  /** The plan. */
  plan?: 'free' | 'pro' | 'business' | 'enterprise';
  limits?: LimitsPatch;
  /** The number of available units at which `inventory.low` is emitted; null clears it. */
  lowStockAt?: number | null;
}

export interface AnyKey {
  /** Unique identifier; the first part of the key itself. */
  id: string;
  /** What the key is for. */
  name: string;
  /** The first characters of the key. */
  hint: string;
  /** What the key may do; no scope implies another. */
  scopes: ('read' | 'write' | 'manage' | 'operate')[];
  /** When it was created. */
  createdAt: string;
  /** When it expires; absent if it never does. */
  expiresAt?: string;
  /** When it was last used, to within some seconds. */
  lastUsedAt?: string;
  /** When it was revoked. */
  revokedAt?: string;
  /** The key that opened this session; absent if it is no session. */
  parentId?: string;
  /** The key itself: only in the response that creates it. */
  key?: string;
  /** The workspace of the key. */
  workspaceId: number;
}

export interface Attempt {
  /** Unique identifier. */
  id: number;
  /** The first event it carried; absent for a ping. */
  firstSequence?: number;
  /** The last event it carried; absent for a ping. */
  lastSequence?: number;
  /** The number of the attempt; 1 for the first. */
  attempt: number;
  /** When it was made. */
  at: string;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** The outcome of the attempt. */
  outcome: 'delivered' | 'status' | 'timeout' | 'connection' | 'tls' | 'address_refused';
  /** The status of the response, if there was one. */
  status?: number;
  /** The beginning of the response to a failed attempt. */
  excerpt?: string;
}

export type AuditAction = 'key.created' | 'key.rotated' | 'key.revoked' | 'session.opened' | 'session.ended' | 'plan.changed' | 'limits.changed' | 'grant.added' | 'ban.started' | 'ban.lifted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.rotated' | 'webhook.replayed' | 'workspace.created' | 'workspace.updated' | 'workspace.suspended' | 'workspace.resumed' | 'workspace.closed' | 'workspace.reopened' | 'workspace.erased' | 'workspace.exported' | 'workspace.imported' | 'command.run';

export interface AuditEntry {
  /** ID of the row. */
  id: number;
  /** When the change was made. */
  at: string;
  /** The workspace that was changed; only for operators, and absent if none was. */
  workspaceId?: number;
  /** What was done. */
  action: AuditAction;
  /** Who made the change. */
  actor: Actor;
  /** What was changed: `key:ID`, `session:ID`, `webhook:ID` or `workspace`. */
  target: string;
  /** The fields that changed, as they were. */
  before?: {
  name?: unknown;
  scopes?: unknown;
  expiresAt?: unknown;
  newKeyId?: unknown;
  keyId?: unknown;
  plan?: unknown;
  limits?: unknown;
  lowStockAt?: unknown;
  url?: unknown;
  types?: unknown;
  description?: unknown;
  batchMax?: unknown;
  perSecondMax?: unknown;
  state?: unknown;
  overlapSeconds?: unknown;
  cursor?: unknown;
  until?: unknown;
  strikes?: unknown;
  perDay?: unknown;
  reason?: unknown;
  eraseAt?: unknown;
  command?: unknown;
  pets?: unknown;
  petId?: unknown;
};
  /** The fields that changed, as they are since. Never a secret. */
  after?: {
  name?: unknown;
  scopes?: unknown;
  expiresAt?: unknown;
  newKeyId?: unknown;
  keyId?: unknown;
  plan?: unknown;
  limits?: unknown;
  lowStockAt?: unknown;
  url?: unknown;
  types?: unknown;
  description?: unknown;
  batchMax?: unknown;
  perSecondMax?: unknown;
  state?: unknown;
  overlapSeconds?: unknown;
  cursor?: unknown;
  until?: unknown;
  strikes?: unknown;
  perDay?: unknown;
  reason?: unknown;
  eraseAt?: unknown;
  command?: unknown;
  pets?: unknown;
  petId?: unknown;
};
  /** The request that made the change, if one did. */
  requestId?: string;
  /** The address of the client; removed after 90 days. */
  address?: string;
}

export interface Ban {
  /** The API key. */
  keyId: string;
  /** The workspace of the key. */
  workspaceId: number;
  /** When the ban began. */
  since: string;
  /** When it ends. */
  until: string;
  /** The number of bans of the key so far. */
  strikes: number;
}

export interface BanLiftedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'ban.lifted';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  ban: Ban;
};
}

export interface BanStartedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'ban.started';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  ban: Ban;
};
}

/** Why a row was refused. `code` tells what `details` holds. */
export type BatchError = {
  [C in ErrorCode]: { code: C; message: string; details: DetailsOf<C> };
}[ErrorCode];

export interface BatchResult {
  /** Rows that were created. */
  created: number;
  /** Rows that changed a pet with their reference, or left it as it was. */
  updated: number;
  /** Rows that were refused. */
  refused: number;
  /** For each row, in order: the pet, or its errors. A dry run shows errors only. */
  results: (RowResult)[];
}

export interface CancelOrderQuery {
  /** Why it is cancelled, for the order and the ledger. 1 to 200 characters after trimming. */
  reason?: string | undefined;
}

export interface Category {
  /** Unique identifier assigned on creation. */
  id: number;
  /** Category name (a kind of animal). */
  name: string;
  /** Short description of the category. */
  description?: string;
}

export interface CategoryCreatedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'category.created';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  category: Category;
};
}

export interface CategoryDeletedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'category.deleted';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  category: Category;
};
}

export interface CategoryPatch {
  /** Category name (a kind of animal). 1 to 200 characters after trimming. */
  name?: string;
  /** Short description of the category; null clears it. */
  description?: string | null;
}

export interface CategoryUpdatedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'category.updated';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  category: Category;
};
  /** The earlier values of the fields that changed; null if unset. */
  before: {
  /** Its name. */
  name?: string;
  /** Its description. */
  description?: string | null;
};
}

export interface Closing {
  /** The exact name of the workspace. */
  name: string;
}

export interface CountedItem {
  /** ID of the pet; each pet at most once. */
  petId: number;
  /** The new stock count. */
  quantity: number;
  /** Why it changes, for the ledger. */
  reason?: string | null;
  /** What it refers to, for the ledger. */
  reference?: string | null;
  /** What was on hand when it was counted. If that differs by now, the item is refused. */
  expected?: number;
}

export interface DeprecatedUse {
  /** The operation. */
  operationId: string;
  /** The API key. */
  keyId: string;
  /** Calls in the last 30 days. */
  calls: number;
  /** The last call. */
  lastCalledAt: string;
  /** When the operation is switched off. */
  sunset: string;
  /** What to call instead. */
  successor: string;
}

export interface DeprecationUsedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'deprecation.used';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  /** The operation that was called. */
  operationId: string;
  /** When the operation is switched off. */
  sunset: string;
  /** What to call instead. */
  successor: string;
};
}

export interface EventBatch {
  /** Several events in one request. */
  type: 'events.batch';
  /** When the last of them was made. */
  timestamp: string;
  data: {
  events: (PetstoreEvent)[];
};
}

export type EventFilter = '*' | 'pet.*' | 'category.*' | 'inventory.*' | 'order.*' | 'workspace.*' | 'key.*' | 'ban.*' | 'limit.*' | 'deprecation.*' | 'webhook.*' | 'pet.created' | 'pet.updated' | 'pet.deleted' | 'category.created' | 'category.updated' | 'category.deleted' | 'inventory.adjusted' | 'inventory.low' | 'order.placed' | 'order.updated' | 'order.fulfilled' | 'order.cancelled' | 'order.expired' | 'workspace.updated' | 'key.created' | 'key.rotated' | 'key.revoked' | 'ban.started' | 'ban.lifted' | 'limit.warning' | 'limit.reached' | 'deprecation.used' | 'webhook.failing' | 'webhook.disabled' | 'webhook.parked';

export type EventType = 'pet.created' | 'pet.updated' | 'pet.deleted' | 'category.created' | 'category.updated' | 'category.deleted' | 'inventory.adjusted' | 'inventory.low' | 'order.placed' | 'order.updated' | 'order.fulfilled' | 'order.cancelled' | 'order.expired' | 'workspace.updated' | 'key.created' | 'key.rotated' | 'key.revoked' | 'ban.started' | 'ban.lifted' | 'limit.warning' | 'limit.reached' | 'deprecation.used' | 'webhook.failing' | 'webhook.disabled' | 'webhook.parked';

export interface ExportAuditQuery {
  /** The format; `ndjson` if absent. */
  format?: 'ndjson' | 'csv' | undefined;
  /** Only rows of this action. */
  action?: AuditAction | undefined;
  /** Only rows about this: `key:ID`, `webhook:3`, `workspace`. */
  target?: string | undefined;
  /** Only rows of the actor with this id, such as a key. */
  actor?: string | undefined;
  /** Only rows at this time or later. */
  from?: string | Date | undefined;
  /** Only rows before this time. */
  to?: string | Date | undefined;
}

export interface GetInventoryItemQuery {
  /** The stock as the ledger had it then, at least 5 seconds ago. Pets created later are left out; pets deleted since are included. Holds are not recorded. */
  asOf?: string | Date | undefined;
}

export interface GetUsageMinutesQuery {
  /** How many minutes; 60 if absent. */
  minutes?: number | undefined;
}

export interface GetUsageQuery {
  /** How many days of history, today included; 30 if absent. */
  days?: number | undefined;
}

export interface Grant {
  /** Requests that an operator added for this UTC day. */
  perDay: number;
  /** When the day ends. */
  endsAt: string;
}

export interface InventoryAdjustedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'inventory.adjusted';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  inventory: InventoryItem;
  movement: Movement;
};
}

export interface InventoryItem {
  /** ID of the animal the entry tracks. */
  petId: number;
  /** Current stock count. */
  quantity: number;
  /** Units in open orders. */
  reserved: number;
  /** Units that can be ordered: `quantity` minus `reserved`. */
  available: number;
  /** Derived from the stock: `sold` if none is left, `pending` if held or all is reserved, else `available`. */
  status: PetStatus;
}

export interface InventoryLowEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'inventory.low';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  inventory: InventoryItem;
  /** The threshold that was crossed. */
  lowStockAt: number;
};
}

export interface InventoryUpdate {
  /** The new stock count. */
  quantity: number;
  /** Why it changes, for the ledger. */
  reason?: string | null;
  /** What it refers to, for the ledger. */
  reference?: string | null;
}

export interface Key {
  /** Unique identifier; the first part of the key itself. */
  id: string;
  /** What the key is for. */
  name: string;
  /** The first characters of the key. */
  hint: string;
  /** What the key may do; no scope implies another. */
  scopes: ('read' | 'write' | 'manage' | 'operate')[];
  /** When it was created. */
  createdAt: string;
  /** When it expires; absent if it never does. */
  expiresAt?: string;
  /** When it was last used, to within some seconds. */
  lastUsedAt?: string;
  /** When it was revoked. */
  revokedAt?: string;
  /** The key that opened this session; absent if it is no session. */
  parentId?: string;
  /** The key itself: only in the response that creates it. */
  key?: string;
}

export interface KeyCreatedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'key.created';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  key: Key;
};
}

export interface KeyRevokedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'key.revoked';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  key: Key;
};
}

export interface KeyRotatedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'key.rotated';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  key: Key;
  newKey: Key;
};
}

export interface LimitReachedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'limit.reached';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  /** Which limit it is. */
  limit: 'day';
  /** How many requests are used. */
  used: number;
  /** How many requests the limit allows. */
  max: number;
  /** When the limit resets. */
  resetAt: string;
};
}

export interface LimitWarningEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'limit.warning';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  /** Which limit it is. */
  limit: 'day';
  /** How many requests are used. */
  used: number;
  /** How many requests the limit allows. */
  max: number;
  /** When the limit resets. */
  resetAt: string;
};
}

export interface Limits {
  /** Requests per minute. */
  perMinute: number;
  /** Requests per day. */
  perDay: number;
}

export interface LimitsPatch {
  /** Requests per minute. */
  perMinute?: number;
  /** Requests per day. */
  perDay?: number;
}

export interface ListAttemptsQuery {
  /** Only attempts with this outcome. */
  outcome?: 'delivered' | 'status' | 'timeout' | 'connection' | 'tls' | 'address_refused' | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `-id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface ListAuditQuery {
  /** Only rows of this action. */
  action?: AuditAction | undefined;
  /** Only rows about this: `key:ID`, `webhook:3`, `workspace`. */
  target?: string | undefined;
  /** Only rows of the actor with this id, such as a key. */
  actor?: string | undefined;
  /** Only rows at this time or later. */
  from?: string | Date | undefined;
  /** Only rows before this time. */
  to?: string | Date | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `-at` if absent. A minus sign reverses it. */
  sort?: 'at' | '-at' | undefined;
}

export interface ListCategoriesQuery {
  /** Only categories whose name starts with this, case-insensitively. */
  name?: string | undefined;
  /** Only categories with these words in their name. Up to 5 words, each the beginning of a word, in any order; case, accents and punctuation do not matter. */
  q?: string | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface ListEventsQuery {
  /** The event to continue after: its id or number, `0` for the beginning, or `latest`. */
  after?: string | undefined;
  /** Only events of this type; `order.*` for all types of a kind. May be repeated. */
  type?: readonly (EventFilter)[] | undefined;
  /** The maximum number of events; 100 if absent. */
  limit?: number | undefined;
  /** How many seconds to wait for an event if there is none. */
  wait?: number | undefined;
}

export interface ListInventoryQuery {
  /** Only entries of this status. */
  status?: 'available' | 'pending' | 'sold' | undefined;
  /** Only entries with fewer available units than this. */
  availableBelow?: number | undefined;
  /** Only entries whose available units are at the `lowStockAt` of the pet, or else of the workspace, or else 2, or below it; with false, only the others. */
  low?: boolean | undefined;
  /** Only pets whose name starts with this, case-insensitively. */
  name?: string | undefined;
  /** Only pets with these words in their name. Up to 5 words, each the beginning of a word, in any order; case, accents and punctuation do not matter. */
  q?: string | undefined;
  /** Only pets of this category. */
  categoryId?: number | undefined;
  /** Only these pets; may be repeated up to 100 times. */
  petId?: readonly (number)[] | undefined;
  /** The stock as the ledger had it then, at least 5 seconds ago. Pets created later are left out; pets deleted since are included. Holds are not recorded. */
  asOf?: string | Date | undefined;
  /** The maximum number of records; 20 if absent, or 100 with `petId`. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface ListKeysQuery {
  /** Only these keys; may be repeated up to 100 times. */
  id?: readonly (string)[] | undefined;
  /** Which sessions of the console: `all`, those that have not ended, or none. `all` if absent. */
  sessions?: 'all' | 'open' | 'none' | undefined;
  /** The maximum number of records; 20 if absent, or 100 with `id`. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface ListLedgerQuery {
  /** Only rows of this pet. */
  petId?: number | undefined;
  /** Only rows of this cause. */
  cause?: 'created' | 'set' | 'adjusted' | 'reserved' | 'released' | 'fulfilled' | 'sold' | undefined;
  /** Only rows of this API key or session. */
  keyId?: string | undefined;
  /** Only rows at this time or later. */
  from?: string | Date | undefined;
  /** Only rows before this time. */
  to?: string | Date | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `-id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface ListMovementsQuery {
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface ListOrdersQuery {
  /** Only orders of this pet. */
  petId?: number | undefined;
  /** Only orders in this state; may be repeated. Without it: open and complete ones. */
  state?: readonly ('open' | 'complete' | 'cancelled' | 'expired')[] | undefined;
  /** Only orders that are complete, or only those that are open. */
  complete?: boolean | undefined;
  /** Only orders that ship at this time or later. */
  shipDateFrom?: string | Date | undefined;
  /** Only orders that ship at this time or earlier. */
  shipDateTo?: string | Date | undefined;
  /** Only orders that were placed at this time or later. */
  createdFrom?: string | Date | undefined;
  /** Only orders that were placed before this time. */
  createdTo?: string | Date | undefined;
  /** Only orders with exactly this reference. */
  reference?: string | undefined;
  /** Only orders with these words in their customer. Up to 5 words, each the beginning of a word, in any order; case, accents and punctuation do not matter. */
  customer?: string | undefined;
  /** Only orders with these words in their customer or their reference. Up to 5 words, each the beginning of a word, in any order; case, accents and punctuation do not matter. */
  q?: string | undefined;
  /** Only open orders that expire at this time or earlier. */
  expiresBefore?: string | Date | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | 'shipDate' | '-shipDate' | undefined;
}

export interface ListParkedQuery {
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface ListPetsQuery {
  /** Only pets of this status. */
  status?: 'available' | 'pending' | 'sold' | undefined;
  /** Only pets of this category. */
  categoryId?: number | undefined;
  /** Only pets whose name starts with this, case-insensitively. */
  name?: string | undefined;
  /** Only pets with these words in their name. Up to 5 words, each the beginning of a word, in any order; case, accents and punctuation do not matter. */
  q?: string | undefined;
  /** Only pets with this reference; may be repeated up to 100 times. */
  reference?: readonly (string)[] | undefined;
  /** Only these pets; may be repeated up to 100 times. */
  id?: readonly (number)[] | undefined;
  /** The maximum number of records; 20 if absent, or 100 with `reference` or `id`. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. A record that is renamed while you page by name may appear twice or not at all. */
  sort?: 'id' | '-id' | 'name' | '-name' | undefined;
}

export interface ListRequestsQuery {
  /** Only requests with this status, such as `409`, or of this class, such as `4xx`. */
  status?: string | undefined;
  /** Only requests that failed with this code. */
  code?: string | undefined;
  /** Only requests of this operation. */
  operationId?: string | undefined;
  /** Only requests of this API key or session. */
  keyId?: string | undefined;
  /** Only requests at this time or later. */
  from?: string | Date | undefined;
  /** Only requests before this time. */
  to?: string | Date | undefined;
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `-at` if absent. A minus sign reverses it. */
  sort?: 'at' | '-at' | undefined;
}

export interface ListWebhooksQuery {
  /** The maximum number of records; 20 if absent. */
  limit?: number | undefined;
  /** Where to continue; taken from the `next` link of the previous page. */
  cursor?: string | undefined;
  /** The sort order; `id` if absent. A minus sign reverses it. */
  sort?: 'id' | '-id' | undefined;
}

export interface LoggedRequest {
  /** The id of the request: the `X-Request-Id` of its response. */
  id: string;
  /** When it arrived. */
  at: string;
  /** The workspace of its key; only for operators, and absent without a valid key. */
  workspaceId?: number;
  /** The HTTP method. */
  method: string;
  /** The path with its parameters in braces; absent if the path is unknown. */
  route?: string;
  /** The path without its query. */
  path: string;
  /** The operation; absent if the path has none. */
  operationId?: string;
  /** The status of the response. */
  status: number;
  /** The code of the error, if it was one. */
  code?: string;
  /** The API key or session; absent without a valid one. */
  keyId?: string;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** The size of its body. */
  requestBytes: number;
  /** The size of the body of the response, as it was sent. */
  responseBytes: number;
  /** Whether the response was stored under an `Idempotency-Key` before. */
  isReplay: boolean;
  /** How it came: over HTTP with a key, from the console, or as a message of an agent. */
  via: 'http' | 'console' | 'mcp';
  /** The trace it was part of. */
  traceId?: string;
  /** The network of the client: the /24 of an IPv4 address, the /48 of an IPv6 address. Only for keys with `manage`. */
  address?: string;
}

export type Metadata = Record<string, string>;

export interface Movement {
  /** Unique identifier; later rows have higher ones. */
  id: number;
  /** ID of the animal whose stock changed. */
  petId: number;
  /** What kind of change it was. Later versions may add values. */
  cause: 'created' | 'set' | 'adjusted' | 'reserved' | 'released' | 'fulfilled' | 'sold';
  /** Stock count before. */
  quantityBefore: number;
  /** Stock count after. */
  quantityAfter: number;
  /** Units in open orders before. */
  reservedBefore: number;
  /** Units in open orders after. */
  reservedAfter: number;
  /** The order that caused it. */
  orderId?: number;
  /** Why it changed. */
  reason?: string;
  /** What it refers to. */
  reference?: string;
  /** The API key that made the change. */
  keyId?: string;
  /** When it changed. */
  at: string;
  /** The row of the ledger that this one takes back. */
  reverses?: number;
  /** The row of the ledger that takes this one back. */
  reversedBy?: number;
}

export interface NewCategory {
  /** Category name (a kind of animal). 1 to 200 characters after trimming. */
  name: string;
  /** Short description of the category. */
  description?: string;
}

export interface NewGrant {
  /** Requests to add to this UTC day. */
  perDay: number;
  /** Why. The owner sees it. */
  reason: string;
}

export interface NewKey {
  /** What the key is for. 1 to 200 characters after trimming. */
  name: string;
  /** What the key may do; no scope implies another. */
  scopes: readonly ('read' | 'write' | 'manage' | 'operate')[];
  /** When it expires; never if absent. */
  expiresAt?: string | Date;
}

export interface NewOrder {
  /** ID of the animal in the order. */
  petId: number;
  /** Number of units ordered; 1 if absent. */
  quantity?: number;
  /** Expected or actual ship date, to the millisecond, returned in UTC. */
  shipDate?: string | Date;
  /** Fulfilled at once if true; false if absent. */
  complete?: boolean;
  /** When the order expires if it is still open; later than now and within 30 days. Not with `complete: true`. */
  expiresAt?: string | Date;
  /** The number of the order in a system of your own; several orders may share one. 1 to 100 characters after trimming. */
  reference?: string;
  /** Whose order it is, for people to read. 1 to 100 characters after trimming. */
  customer?: string;
  /** What else there is to know. 1 to 500 characters after trimming. */
  note?: string;
  /** Pairs of your own, which the service stores and does not read. Keys have 1 to 40 letters, digits, `_`, `.` or `-`. */
  metadata?: Metadata;
}

export interface NewPet {
  /** The animal's name. 1 to 200 characters after trimming. */
  name: string;
  /** ID of the category the animal belongs to. */
  categoryId: number;
  /** Derived from the stock: `sold` if none is left, `pending` if held or all is reserved, else `available`. */
  status?: PetStatus;
  /** Its number in a system of your own; no two pets of the workspace share one. 1 to 100 characters after trimming. */
  reference?: string;
  /** Its own threshold for the event `inventory.low`; 0 tells when none is available. Absent: that of the workspace. */
  lowStockAt?: number;
  /** Pairs of your own, which the service stores and does not read. Keys have 1 to 40 letters, digits, `_`, `.` or `-`. */
  metadata?: Metadata;
}

export interface NewWebhook {
  /** Where to send events: https, port 443 or above 1023, a public address. */
  url: string;
  /** Which events to send: types, kinds like `order.*`, or `*` for all. */
  types?: readonly (EventFilter)[];
  /** What it is for. */
  description?: string;
  /** The event to start after: its id or number, `0` for the beginning, or `latest`. */
  after?: string;
  /** The maximum number of events in one request. */
  batchMax?: number;
  /** The maximum number of requests per second. */
  perSecondMax?: number;
  /** A signing secret of your own: `whsec_` and base64 of 24 to 64 bytes. */
  secret?: string;
}

export interface NewWorkspace {
  /** The name of the store. 1 to 200 characters after trimming. */
  name: string;
  /** The plan. */
  plan?: 'free' | 'pro' | 'business' | 'enterprise';
  limits?: Limits;
}

export interface Order {
  /** Unique order identifier. */
  id: number;
  /** ID of the animal in the order. */
  petId: number;
  /** Number of units ordered. */
  quantity: number;
  /** Expected or actual ship date, to the millisecond, returned in UTC. */
  shipDate?: string;
  /** Whether the order has been fulfilled: true in the state `complete`. */
  complete: boolean;
  /** `open` until it is completed, cancelled or expired; only an open order holds units. */
  state: 'open' | 'complete' | 'cancelled' | 'expired';
  /** When it was placed. */
  createdAt?: string;
  /** When it expires if it is still open; absent if it does not, and once it has ended. */
  expiresAt?: string;
  /** When it was completed, cancelled or expired; absent while it is open. */
  endedAt?: string;
  /** Why it was cancelled, if a reason was given; `expired` if it has expired. */
  endReason?: string;
  /** The number of the order in a system of your own; several orders may share one. */
  reference?: string;
  /** Whose order it is, for people to read. */
  customer?: string;
  /** What else there is to know. */
  note?: string;
  /** Pairs of your own, which the service stores and does not read. Keys have 1 to 40 letters, digits, `_`, `.` or `-`. */
  metadata?: Metadata;
}

export type OrderBatch = {
  orders: readonly (NewOrder)[];
  /** `all`, the default: one refused row refuses the batch. `each`: A row that is not a valid NewOrder, or is refused, is skipped, and its result says why. */
  mode?: 'all' | 'each';
};

export interface OrderBatchResult {
  /** Orders that were placed. */
  placed: number;
  /** Orders that were refused. */
  refused: number;
  /** For each row, in order: the order, or its error. A dry run shows errors only. */
  results: (OrderBatchRow)[];
}

export type OrderBatchRow = { order: Order; error?: undefined } | { error: BatchError; order?: undefined };

export interface OrderCancelledEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'order.cancelled';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  order: Order;
  inventory: InventoryItem;
};
}

export interface OrderExpiredEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'order.expired';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  order: Order;
  inventory: InventoryItem;
};
}

export interface OrderFulfilledEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'order.fulfilled';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  order: Order;
  inventory: InventoryItem;
};
}

export interface OrderPatch {
  /** Number of units ordered. */
  quantity?: number;
  /** Expected or actual ship date; null clears it. */
  shipDate?: string | Date | null;
  /** True fulfils the order. */
  complete?: boolean;
  /** When the order expires if it is still open; later than now and within 30 days. Null: it does not expire. Not with `complete: true`. */
  expiresAt?: string | Date | null;
  /** The number of the order in a system of your own; several orders may share one. Null clears it. 1 to 100 characters after trimming. */
  reference?: string | null;
  /** Whose order it is, for people to read. Null alone is accepted in every state. Null clears it. 1 to 100 characters after trimming. */
  customer?: string | null;
  /** What else there is to know. Null clears it. 1 to 500 characters after trimming. */
  note?: string | null;
  /** Pairs to set; null removes a pair, and `metadata: null` all. Others stay. Keys have 1 to 40 letters, digits, `_`, `.` or `-`. */
  metadata?: Record<string, string | null> | null;
}

export interface OrderPlacedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'order.placed';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  order: Order;
  inventory: InventoryItem;
};
}

export interface OrderUpdatedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'order.updated';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  order: Order;
  inventory: InventoryItem;
};
  /** The earlier values of the fields that changed; null if unset. */
  before: {
  /** How many units. */
  quantity?: number;
  /** Its ship date. */
  shipDate?: string | null;
  /** When it would have expired. */
  expiresAt?: string | null;
  /** Its reference. */
  reference?: string | null;
  /** Its customer. */
  customer?: string | null;
  /** Its note. */
  note?: string | null;
  /** Its metadata. */
  metadata?: Record<string, string> | null;
};
}

export interface Parked {
  /** ID of the event; its number once it is no longer kept. */
  eventId: string;
  /** Its number. */
  sequence: number;
  /** Its type; absent once it is no longer kept. */
  type?: EventType;
  /** When it was parked. */
  parkedAt: string;
  /** How often it was tried. */
  attempts: number;
  /** The status of the last response. */
  status?: number;
}

export interface Pet {
  /** Unique identifier assigned on creation. */
  id: number;
  /** The animal's name. */
  name: string;
  /** ID of the category the animal belongs to. */
  categoryId: number;
  /** Derived from the stock: `sold` if none is left, `pending` if held or all is reserved, else `available`. */
  status: PetStatus;
  /** Its number in a system of your own; no two pets of the workspace share one. */
  reference?: string;
  /** Its own threshold for the event `inventory.low`; 0 tells when none is available. Absent: that of the workspace. */
  lowStockAt?: number;
  /** Pairs of your own, which the service stores and does not read. Keys have 1 to 40 letters, digits, `_`, `.` or `-`. */
  metadata?: Metadata;
}

export type PetBatch = {
  pets: readonly (NewPet)[];
  /** `update`: a row whose reference a pet has changes that pet, as `putPetByReference` does. If absent, such a row is refused. */
  onReference?: 'update';
  /** `all`, the default: one refused row refuses the batch. `each`: A row that is not a valid NewPet, or is refused, is skipped, and its result says why. */
  mode?: 'all' | 'each';
};

export interface PetCreatedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'pet.created';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  pet: Pet;
  inventory: InventoryItem;
};
}

export interface PetDeletedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'pet.deleted';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  pet: Pet;
  inventory: InventoryItem;
};
}

export interface PetPatch {
  /** The animal's name. 1 to 200 characters after trimming. */
  name?: string;
  /** ID of the category the animal belongs to. */
  categoryId?: number;
  /** The new status; null keeps the derived one. */
  status?: 'available' | 'pending' | 'sold' | null;
  /** Its number in a system of your own; no two pets of the workspace share one. Null clears it. 1 to 100 characters after trimming. */
  reference?: string | null;
  /** Its own threshold for the event `inventory.low`; 0 tells when none is available. Null: that of the workspace. */
  lowStockAt?: number | null;
  /** Pairs to set; null removes a pair, and `metadata: null` all. Others stay. Keys have 1 to 40 letters, digits, `_`, `.` or `-`. */
  metadata?: Record<string, string | null> | null;
}

export type PetStatus = 'available' | 'pending' | 'sold';

export interface PetUpdatedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'pet.updated';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  pet: Pet;
  inventory: InventoryItem;
};
  /** The earlier values of the fields that changed; null if unset. */
  before: {
  /** Its name. */
  name?: string;
  /** Its category. */
  categoryId?: number;
  /** Derived from the stock: `sold` if none is left, `pending` if held or all is reserved, else `available`. */
  status?: PetStatus;
  /** Its reference. */
  reference?: string | null;
  /** Its own threshold for low stock. */
  lowStockAt?: number | null;
  /** Its metadata. */
  metadata?: Record<string, string> | null;
};
}

export type PetstoreEvent = PetCreatedEvent | PetUpdatedEvent | PetDeletedEvent | CategoryCreatedEvent | CategoryUpdatedEvent | CategoryDeletedEvent | InventoryAdjustedEvent | InventoryLowEvent | OrderPlacedEvent | OrderUpdatedEvent | OrderFulfilledEvent | OrderCancelledEvent | OrderExpiredEvent | WorkspaceUpdatedEvent | KeyCreatedEvent | KeyRotatedEvent | KeyRevokedEvent | BanStartedEvent | BanLiftedEvent | LimitWarningEvent | LimitReachedEvent | DeprecationUsedEvent | WebhookFailingEvent | WebhookDisabledEvent | WebhookParkedEvent;

export interface Ping {
  /** Asks whether the receiver is there. */
  type: 'ping';
  /** When it was sent. */
  timestamp: string;
  data: {
  /** The webhook. */
  webhookId: number;
  /** A text that the response must contain. */
  challenge?: string;
};
}

export interface Plan {
  /** The plan. */
  id: 'free' | 'pro' | 'business' | 'enterprise';
  /** The name of the plan. */
  name: string;
  /** Requests per minute; absent if agreed individually. */
  perMinute?: number;
  /** Requests per day; absent if agreed individually. */
  perDay?: number;
}

export interface PlanReplay {
  /** The plan. */
  plan: 'free' | 'pro' | 'business' | 'enterprise';
  /** Requests it would have refused. */
  refused: number;
  /** Of these, by its limit per minute. */
  refusedByMinute: number;
  /** Of these, by its limit per day. */
  refusedByDay: number;
}

export interface Redelivery {
  /** ID of the event to send, or its number. */
  eventId: string;
}

export interface Replay {
  /** The event to start after: its id or number, `0` for the beginning, or `latest`. */
  after: string;
}

export interface Reversal {
  /** Why it is taken back, for the ledger. */
  reason?: string;
}

export interface Rotation {
  /** How long the old key stays valid; a day if absent. */
  overlapSeconds?: number;
}

export interface RowError {
  field: string;
  message: string;
}

export type RowResult = { pet: Pet; updated?: true; errors?: undefined } | { errors: RowError[]; pet?: undefined };

export interface SecretRotation {
  /** How long the old secret signs as well; a day if absent. */
  overlapSeconds?: number;
}

export interface ServiceNode {
  /** The process; a restart gives it another id. */
  id: string;
  /** The version of the service. */
  version: string;
  /** `ready`; `unavailable` while it answers 503 on /readyz; `stopping`; `lost` if it was not seen for 15 s. A lost node is listed for a day. */
  state: 'ready' | 'unavailable' | 'stopping' | 'lost';
  /** `alone`: no other node counts where it does, or its Valkey is out of reach. */
  limiter: 'shared' | 'alone';
  /** How far its clock is ahead of the database's; absent with SQLite, and until they were first compared. */
  clockSkewSeconds?: number;
  /** In the last five seconds. */
  requestsPerSecond: number;
  /** The resident memory of the process. */
  memoryBytes: number;
  /** When it started. */
  startedAt: string;
  /** When it last reported. */
  seenAt: string;
}

export interface Session {
  /** The workspace. */
  workspaceId: number;
  /** The name of the store. */
  workspaceName: string;
  /** The plan of the workspace. */
  plan: 'free' | 'pro' | 'business' | 'enterprise';
  limits: Limits;
  /** The number of available units at which stock is low; absent if none is set. */
  lowStockAt?: number;
  /** While it is not `active`, few requests are served. */
  state: 'active' | 'suspended' | 'closing' | 'erased';
  /** Since when it has this state. */
  stateSince: string;
  /** Why, in the words of the operator. */
  stateReason?: string;
  /** Who closed it. What the operator closed, only the operator reopens. */
  closedBy?: 'owner' | 'operator';
  /** When its records are deleted, while it is `closing`. */
  eraseAt?: string;
  /** What the session may do: what its key may do. */
  scopes: ('read' | 'write' | 'manage' | 'operate')[];
  /** The id of the session. The ledger and the usage report name it. */
  keyId: string;
  /** When the session ends. */
  expiresAt: string;
  /** The end of the feed just before this response. Read the data, then start a stream after this cursor: it misses no event. */
  eventsCursor: string;
}

export interface SignUp {
  /** The name of the store. 1 to 200 characters after trimming. */
  name: string;
}

export type StockBatch = {
  items: readonly (CountedItem | AdjustedItem)[];
  /** `all`, the default: one refused row refuses the batch. `each`: A row that is not a valid item, or is refused, is skipped, and its result says why. */
  mode?: 'all' | 'each';
};

export interface StockBatchResult {
  /** Pets whose stock was changed. */
  changed: number;
  /** Pets that already had this count. */
  unchanged: number;
  /** Items that were refused. */
  refused: number;
  /** For each item, in order: its movement, or its error; neither if the count did not change. */
  results: (StockBatchRow)[];
}

export type StockBatchRow = { movement: Movement; error?: undefined } | { error: BatchError; movement?: undefined } | { movement?: undefined; error?: undefined };

export interface StreamEventsQuery {
  /** The event to continue after: its id or number, `0` for the beginning, or `latest`. */
  after?: string | undefined;
  /** Only events of this type; `order.*` for all types of a kind. May be repeated. */
  type?: readonly (EventFilter)[] | undefined;
}

export interface Suspension {
  /** Why. The owner sees it. */
  reason: string;
}

export interface Usage {
  windows: (UsageWindow)[];
  bans: (UsageBan)[];
  history: (UsageEntry)[];
  /** Present if there are more entries than were read, the newest 5,000: entries of this day may be missing, and those of earlier days are. */
  historyCutAt?: string;
  deprecated: (DeprecatedUse)[];
}

export interface UsageAdvice {
  /** Start of the period. */
  from: string;
  /** End of the period. */
  to: string;
  /** The current plan. */
  plan: 'free' | 'pro' | 'business' | 'enterprise';
  /** Requests in the period, admitted or refused. */
  requests: number;
  /** Requests in the busiest minute. */
  busiestMinute: number;
  plans: (PlanReplay)[];
  /** The cheapest plan that would have refused nothing. */
  recommended: 'free' | 'pro' | 'business' | 'enterprise';
}

export interface UsageBan {
  /** The API key. */
  keyId: string;
  /** When the ban ends. */
  until: string;
  /** The number of bans of the key so far. */
  strikes: number;
}

export interface UsageEntry {
  /** The UTC day. */
  date: string;
  /** The API key. */
  keyId: string;
  /** The operation. */
  operationId: string;
  /** Requests that were admitted. */
  admitted: number;
  /** Requests that a limit refused. */
  refused: number;
  /** Admitted requests with an error response. */
  failed: number;
}

export interface UsageMinute {
  /** When the minute began. */
  minute: string;
  /** Requests that were admitted. */
  admitted: number;
  /** Requests that a limit refused. */
  refused: number;
}

export interface UsageWindow {
  /** The window. */
  name: 'minute' | 'day';
  /** Requests it admits. */
  limit: number;
  /** Requests that remain. */
  remaining: number;
  /** When the window resets. */
  resetAt: string;
}

export interface Webhook {
  /** Unique identifier. */
  id: number;
  /** Where to send events: https, port 443 or above 1023, a public address. */
  url: string;
  /** Which events to send: types, kinds like `order.*`, or `*` for all. */
  types: (EventFilter)[];
  /** What it is for. */
  description?: string;
  /** `unverified`: no ping was answered yet. `enabled` and `failing`: events are sent. `disabled`: none are sent. */
  state: 'unverified' | 'enabled' | 'failing' | 'disabled';
  /** Why it is disabled. */
  stateReason?: 'unverified' | 'failed' | 'gone' | 'parked_full' | 'by_owner';
  /** The number of the last event that was delivered, parked or skipped. */
  cursor: string;
  /** How many events of the feed come after the cursor. Of new ones that have no number yet, at most 10,000 are counted. */
  behind: number;
  /** The maximum number of events in one request. */
  batchMax: number;
  /** The maximum number of requests per second. */
  perSecondMax: number;
  /** The first failure since the last success. */
  failingSince?: string;
  /** When the next attempt is made. */
  nextAttemptAt?: string;
  /** How many events are parked. */
  parked: number;
  /** The first characters of the signing secret. */
  secretHint: string;
  /** When the previous secret stops signing. */
  previousSecretUntil?: string;
  /** When it was created. */
  createdAt: string;
  /** The signing secret: only in the response that creates it. */
  secret?: string;
}

/** What a webhook receives: an event, a batch of events, or a ping. */
export type WebhookDelivery = PetstoreEvent | EventBatch | Ping;

export interface WebhookDisabledEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'webhook.disabled';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  webhook: Webhook;
  /** Why. */
  reason: string;
};
}

export interface WebhookFailingEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'webhook.failing';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  webhook: Webhook;
  /** Why. */
  reason: string;
};
}

export interface WebhookParkedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'webhook.parked';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  webhook: Webhook;
  /** Why. */
  reason?: string;
  /** ID of the event that was parked. */
  eventId: string;
};
}

export interface WebhookPatch {
  /** Where to send events: https, port 443 or above 1023, a public address. */
  url?: string;
  /** Which events to send: types, kinds like `order.*`, or `*` for all. */
  types?: readonly (EventFilter)[];
  /** What it is for; null clears it. */
  description?: string | null;
  /** The maximum number of events in one request. */
  batchMax?: number;
  /** The maximum number of requests per second. */
  perSecondMax?: number;
  /** Switches deliveries on or off. */
  state?: 'enabled' | 'disabled';
}

/**
 * A record with its secret, which only the response to a creation or a rotation has. A stored response (`isReplay`) lacks
 * it: the first one was lost. Rotate it for a new one.
 */
export type WithSecret<T, Field extends keyof T> = T & { [F in Field]-?: NonNullable<T[F]> };

export interface Workspace {
  /** Unique identifier. */
  id: number;
  /** The name of the store. */
  name: string;
  /** The plan. */
  plan: 'free' | 'pro' | 'business' | 'enterprise';
  limits: Limits;
  grant?: Grant;
  /** `inventory.low` is emitted when the available units of a pet fall to this number; never if absent. */
  lowStockAt?: number;
  /** When it was created. */
  createdAt: string;
  /** While it is not `active`, few requests are served. */
  state: 'active' | 'suspended' | 'closing' | 'erased';
  /** Since when it has this state. */
  stateSince: string;
  /** Why, in the words of the operator. */
  stateReason?: string;
  /** Who closed it. What the operator closed, only the operator reopens. */
  closedBy?: 'owner' | 'operator';
  /** When its records are deleted, while it is `closing`. */
  eraseAt?: string;
  /** When it was erased. */
  erasedAt?: string;
}

export interface WorkspacePatch {
  /** The name of the store. 1 to 200 characters after trimming. */
  name?: string;
  /** The plan. */
  plan?: 'free' | 'pro' | 'business' | 'enterprise';
  /** The number of available units at which `inventory.low` is emitted; null clears it. */
  lowStockAt?: number | null;
}

export interface WorkspaceUpdatedEvent {
  /** Identifies the event in every channel. It is also the cursor to continue from. */
  id: string;
  /** Its number in the feed of the workspace, which has no holes. */
  sequence: number;
  /** What happened. */
  type: 'workspace.updated';
  /** When the change was made. */
  timestamp: string;
  /** The key that made the change; absent for the operator. */
  keyId?: string;
  /** The records as they are after the change. */
  data: {
  workspace: Workspace;
};
  /** The earlier values of the fields that changed; null if unset. */
  before: {
  /** Its name. */
  name?: string;
  /** Its plan. */
  plan?: string;
  limits?: Limits;
  /** What an operator had added for the day. */
  grant?: Record<string, unknown> | null;
  /** Its threshold for low stock. */
  lowStockAt?: number | null;
};
}

export interface WorkspaceWithKey {
  workspace: Workspace;
  key: WithSecret<Key, 'key'>;
}

export class Pets extends Group {
  /**
   * List pets.
   * Pets that match all filters. With `id` or `reference`, up to 100 pets in one request.
   */
  list(query?: ListPetsQuery, options?: RequestOptions): ListCall<Pet> {
    return this.transport.list({ method: 'GET', query, options, path: '/pets' });
  }

  /**
   * Create a pet.
   * The stock of a new pet is 1; with status `sold` it is 0, with status `pending` it is 1 and on hold.
   */
  create(body: NewPet, options: DryRunOptions & { dryRun: true }): Call<Preview<Pet>>;
  create(body: NewPet, options?: DryRunOptions): Call<Pet>;
  create(body: NewPet, options?: DryRunOptions): Call<never> {
    return this.transport.call({ method: 'POST', body, options, path: '/pets' });
  }

  /**
   * Create up to 1,000 pets.
   * Mode `all`, the default: creates all pets or none. Mode `each`: skips invalid rows and reports their errors. With `onReference: "update"`, a row whose reference a pet has changes that pet. A reference can be in one row only. Every 100 rows cost one request of the quota.
   * Stability: experimental.
   */
  createMany(body: PetBatch, options: DryRunOptions & { dryRun: true }): Call<Preview<BatchResult, { errors?: RowError[] }>>;
  createMany(body: PetBatch, options?: DryRunOptions): Call<BatchResult>;
  createMany(body: PetBatch, options?: DryRunOptions): Call<never> {
    return this.transport.call({ method: 'POST', body, options, path: '/pets/batch', cost: body.pets?.length / 100 || 1 });
  }

  /**
   * Create or update the pet with a reference.
   * Creates the pet with this reference, or changes it as `updatePet` does: optional fields that are absent keep their values, and `metadata` is merged by key. Sent again, it changes nothing more. `reference` in the body may be left out. A dry run answers 201 or 200 as it would.
   * Stability: experimental.
   */
  putByReference(reference: string, body: NewPet, options: DryRunOptions & { dryRun: true }): Call<Preview<Pet>>;
  putByReference(reference: string, body: NewPet, options?: DryRunOptions): Call<Pet>;
  putByReference(reference: string, body: NewPet, options?: DryRunOptions): Call<never> {
    return this.transport.call({ method: 'PUT', body, options, params: [reference], path: '/pets/by-reference/{reference}' });
  }

  /** Get a pet. */
  get(petId: number, options?: Omit<RequestOptions, 'ifNoneMatch'>): Call<Pet> {
    return this.transport.one({ method: 'GET', query: { id: [petId] }, options, path: '/pets' }, `No pet ${petId} in this workspace.`);
  }

  /**
   * Update a pet.
   * A merge patch. `pending` puts the pet on hold, `available` lifts the hold, `sold` sets its stock to 0.
   */
  update(petId: number, body: PetPatch, options?: DryRunOptions): Call<Pet> {
    return this.transport.call({ method: 'PATCH', body, options, params: [petId], path: '/pets/{petId}' });
  }

  /**
   * Delete a pet.
   * Hides the pet, its stock and its ledger. Its orders stay readable.
   */
  delete(petId: number, options?: DryRunOptions): Call<void> {
    return this.transport.call({ method: 'DELETE', options, params: [petId], path: '/pets/{petId}' });
  }
}

export class Categories extends Group {
  /** List categories. */
  list(query?: ListCategoriesQuery, options?: RequestOptions): ListCall<Category> {
    return this.transport.list({ method: 'GET', query, options, path: '/categories' });
  }

  /**
   * Create a category.
   * Names are unique in a workspace, case-insensitively.
   */
  create(body: NewCategory, options: DryRunOptions & { dryRun: true }): Call<Preview<Category>>;
  create(body: NewCategory, options?: DryRunOptions): Call<Category>;
  create(body: NewCategory, options?: DryRunOptions): Call<never> {
    return this.transport.call({ method: 'POST', body, options, path: '/categories' });
  }

  /** Get a category. */
  get(categoryId: number, options: RequestOptions & { ifNoneMatch: string | undefined }): Call<Category | undefined>;
  get(categoryId: number, options?: RequestOptions): Call<Category>;
  get(categoryId: number, options?: RequestOptions): Call<never> {
    return this.transport.call({ method: 'GET', options, params: [categoryId], path: '/categories/{categoryId}' });
  }

  /**
   * Update a category.
   * A merge patch; null clears the description.
   */
  update(categoryId: number, body: CategoryPatch, options?: DryRunOptions): Call<Category> {
    return this.transport.call({ method: 'PATCH', body, options, params: [categoryId], path: '/categories/{categoryId}' });
  }

  /**
   * Delete a category.
   * It must have no pets.
   */
  delete(categoryId: number, options?: DryRunOptions): Call<void> {
    return this.transport.call({ method: 'DELETE', options, params: [categoryId], path: '/categories/{categoryId}' });
  }
}

export class Inventory extends Group {
  /** List the stock of all pets. */
  list(query?: ListInventoryQuery, options?: RequestOptions): ListCall<InventoryItem> {
    return this.transport.list({ method: 'GET', query, options, path: '/inventory' });
  }

  /** Get the stock of a pet. */
  get(petId: number, query: GetInventoryItemQuery | undefined, options: RequestOptions & { ifNoneMatch: string | undefined }): Call<InventoryItem | undefined>;
  get(petId: number, query?: GetInventoryItemQuery, options?: RequestOptions): Call<InventoryItem>;
  get(petId: number, query?: GetInventoryItemQuery, options?: RequestOptions): Call<never> {
    return this.transport.call({ method: 'GET', query, options, params: [petId], path: '/inventory/{petId}' });
  }

  /**
   * Set the stock of a pet.
   * Sets the new count, which cannot be below the units that open orders have reserved.
   * Stability: experimental.
   */
  update(petId: number, body: InventoryUpdate, options?: DryRunOptions): Call<InventoryItem> {
    return this.transport.call({ method: 'PATCH', body, options, params: [petId], path: '/inventory/{petId}' });
  }

  /**
   * Set or adjust the stock of up to 1,000 pets.
   * Each item has a new count (`quantity`) or units to add or remove (`delta`, with a `reason`); a pet can be in one item only. An item with `expected` is refused if another count is on hand by now. Mode `all`, the default: changes all or none. Mode `each`: skips refused items and reports their errors. Every 100 items cost one request of the quota.
   * Stability: experimental.
   */
  setMany(body: StockBatch, options: DryRunOptions & { dryRun: true }): Call<Preview<StockBatchResult, { movement?: Omit<Movement, 'id' | 'at'>; error?: BatchError }>>;
  setMany(body: StockBatch, options?: DryRunOptions): Call<StockBatchResult>;
  setMany(body: StockBatch, options?: DryRunOptions): Call<never> {
    return this.transport.call({ method: 'POST', body, options, path: '/inventory/batch', cost: body.items?.length / 100 || 1 });
  }

  /**
   * Adjust the stock of a pet.
   * Adds units to the stock or removes them, with a reason for the ledger.
   */
  adjust(petId: number, body: Adjustment, options: DryRunOptions & { dryRun: true }): Call<Preview<Movement>>;
  adjust(petId: number, body: Adjustment, options?: DryRunOptions): Call<Movement>;
  adjust(petId: number, body: Adjustment, options?: DryRunOptions): Call<never> {
    return this.transport.call({ method: 'POST', body, options, params: [petId], path: '/inventory/{petId}/adjustments' });
  }

  /**
   * List the ledger of a pet.
   * Every change of the stock: the key that made it, the reason, and the counts before and after.
   */
  movements(petId: number, query?: ListMovementsQuery, options?: RequestOptions): ListCall<Movement> {
    return this.transport.list({ method: 'GET', query, options, params: [petId], path: '/inventory/{petId}/movements' });
  }

  /**
   * List the ledger of the workspace.
   * Every change of stock, newest first, also of deleted pets. A filtered page may have fewer rows than `limit`, or none; continue while there is a `next` link.
   */
  ledger(query?: ListLedgerQuery, options?: RequestOptions): ListCall<Movement> {
    return this.transport.list({ method: 'GET', query, options, path: '/movements' });
  }

  /**
   * Undo a change of the stock.
   * Takes back what a movement did to the quantity and keeps all that came later. Only stock that was set, adjusted or sold can be taken back, and each movement once; to restore it, reverse the reversal. Cancel an order instead of reversing its movements.
   */
  reverse(petId: number, movementId: number, body: Reversal | undefined, options: DryRunOptions & { dryRun: true }): Call<Preview<Movement>>;
  reverse(petId: number, movementId: number, body?: Reversal, options?: DryRunOptions): Call<Movement>;
  reverse(petId: number, movementId: number, body?: Reversal, options?: DryRunOptions): Call<never> {
    return this.transport.call({ method: 'POST', body, options, params: [petId, movementId], path: '/inventory/{petId}/movements/{movementId}/reversal' });
  }
}

export class Orders extends Group {
  /** List orders. */
  list(query?: ListOrdersQuery, options?: RequestOptions): ListCall<Order> {
    return this.transport.list({ method: 'GET', query, options, path: '/store/orders' });
  }

  /**
   * Place an order.
   * Reserves the units, or takes them from the stock if the order is placed with `complete: true`. With `expiresAt`, the order expires within a second of that time if it is still open.
   */
  place(body: NewOrder, options: DryRunOptions & { dryRun: true }): Call<Preview<Order>>;
  place(body: NewOrder, options?: DryRunOptions): Call<Order>;
  place(body: NewOrder, options?: DryRunOptions): Call<never> {
    return this.transport.call({ method: 'POST', body, options, path: '/store/orders' });
  }

  /**
   * Place up to 100 orders.
   * Mode `all`, the default: places every order or none. The orders are counted together, and the first that does not fit refuses the batch: `details` has its `index`, its `petId` and the units `available` to it. Mode `each`: each order by itself, in order. The orders of one cart share a `reference`.
   * Stability: experimental.
   */
  placeMany(body: OrderBatch, options: DryRunOptions & { dryRun: true }): Call<Preview<OrderBatchResult, { error?: BatchError }>>;
  placeMany(body: OrderBatch, options?: DryRunOptions): Call<OrderBatchResult>;
  placeMany(body: OrderBatch, options?: DryRunOptions): Call<never> {
    return this.transport.call({ method: 'POST', body, options, path: '/store/orders/batch', cost: body.orders?.length / 100 || 1 });
  }

  /** Get an order. */
  get(orderId: number, options: RequestOptions & { ifNoneMatch: string | undefined }): Call<Order | undefined>;
  get(orderId: number, options?: RequestOptions): Call<Order>;
  get(orderId: number, options?: RequestOptions): Call<never> {
    return this.transport.call({ method: 'GET', options, params: [orderId], path: '/store/orders/{orderId}' });
  }

  /**
   * Change or fulfil an order.
   * Changes an open order; fields that are absent stay, and `metadata` is merged by key. `complete: true` fulfils it. `expiresAt` sets a later or an earlier expiry, and null removes it. Of an order that has ended, only the name can be removed: `{"customer":null}` alone.
   */
  update(orderId: number, body: OrderPatch, options?: DryRunOptions): Call<Order> {
    return this.transport.call({ method: 'PATCH', body, options, params: [orderId], path: '/store/orders/{orderId}' });
  }

  /**
   * Cancel an order.
   * Releases its units. The order stays, in the state `cancelled`. An order that has ended cannot be cancelled.
   * Stability: beta.
   */
  cancel(orderId: number, options?: DryRunOptions & { query?: CancelOrderQuery }): Call<void> {
    return this.transport.call({ method: 'DELETE', query: options?.query, options, params: [orderId], path: '/store/orders/{orderId}' });
  }
}

export class Workspaces extends Group {
  /** Get the workspace of the key. */
  get(options: RequestOptions & { ifNoneMatch: string | undefined }): Call<Workspace | undefined>;
  get(options?: RequestOptions): Call<Workspace>;
  get(options?: RequestOptions): Call<never> {
    return this.transport.call({ method: 'GET', options, path: '/workspace' });
  }

  /**
   * Rename the workspace or change its plan.
   * A merge patch of `name`, `plan` and `lowStockAt`. A new plan takes effect at once on this node and within a second on all others; the counters stay. The operator of the service says between which plans an owner may change; Enterprise is never one of them unless it is named.
   */
  update(body: WorkspacePatch, options?: DryRunOptions): Call<Workspace> {
    return this.transport.call({ method: 'PATCH', body, options, path: '/workspace' });
  }

  /**
   * Close the workspace.
   * For 30 days it can be read and reopened; then its records are deleted. `name` must be its exact name. A workspace that is closing already does not change.
   */
  close(body: Closing, options?: DryRunOptions): Call<Workspace> {
    return this.transport.call({ method: 'POST', body, options, path: '/workspace/close' });
  }

  /**
   * Reopen the workspace.
   * Until `eraseAt`. What the operator closed, only the operator reopens. A workspace that is active already does not change.
   */
  reopen(options?: DryRunOptions): Call<Workspace> {
    return this.transport.call({ method: 'POST', options, path: '/workspace/reopen' });
  }

  /**
   * Export the workspace.
   * All records of the workspace at one moment, as a `tar.gz` of NDJSON files with their digests. It holds no keys and no secrets. A node makes two exports at once, and ends one that is not read within 15 minutes.
   */
  export(options?: RequestOptions): Promise<Response> {
    return this.transport.download({ method: 'GET', options, path: '/workspace/export' });
  }

  /**
   * Create a workspace of your own.
   * The workspace is on the plan Free and has a first key. 404 unless sign-up is open.
   */
  signUp(body: SignUp, options?: WriteOptions): Call<WorkspaceWithKey> {
    return this.transport.call({ method: 'POST', body, options, path: '/signup', cost: 0 });
  }
}

export class Keys extends Group {
  /**
   * List the keys of the workspace.
   * Revoked and expired keys are included. Sessions of the console are keys with a `parentId`; they are listed until 90 days after their end.
   */
  list(query?: ListKeysQuery, options?: RequestOptions): ListCall<Key> {
    return this.transport.list({ method: 'GET', query, options, path: '/keys' });
  }

  /**
   * Create a key.
   * Only this response contains the key itself. A key can grant only scopes that it has itself.
   */
  create(body: NewKey, options?: WriteOptions): Call<WithSecret<Key, 'key'>> {
    return this.transport.call({ method: 'POST', body, options, path: '/keys' });
  }

  /**
   * Revoke a key.
   * The key stops working at once and cannot be restored, and its sessions end with it. Revoking a session signs it out and emits nothing. The last key with the scope `manage` that does not expire cannot be revoked, nor the last key of the service with the scope `operate` that does not expire.
   */
  revoke(keyId: string, options?: WriteOptions): Call<void> {
    return this.transport.call({ method: 'DELETE', options, params: [keyId], path: '/keys/{keyId}' });
  }

  /**
   * Replace a key with a new one.
   * The new key has a new id; the old one stays valid for `overlapSeconds`, then expires, and its sessions with it. A key can be rotated once.
   */
  rotate(keyId: string, body?: Rotation, options?: WriteOptions): Call<WithSecret<Key, 'key'>> {
    return this.transport.call({ method: 'POST', body, options, params: [keyId], path: '/keys/{keyId}/rotate' });
  }
}

export class Sessions extends Group {
  /**
   * Sign in to the console.
   * Opens a session of 12 hours for the key, with its scopes, and sets it as a cookie that scripts cannot read. The session ends when its key expires or is revoked. A key has at most 20 open sessions; opening another one ends the oldest. A replay under an Idempotency-Key sets no cookie. Costs no quota; at most 60 a minute per key.
   */
  create(options?: WriteOptions): Call<Session> {
    return this.transport.call({ method: 'POST', options, path: '/session', cost: 0 });
  }

  /**
   * Get the session of the cookie.
   * Returns 401 without a session. Costs no quota; at most 60 a minute per session.
   */
  get(options?: RequestOptions): Call<Session> {
    return this.transport.call({ method: 'GET', options, path: '/session', cost: 0 });
  }

  /**
   * Sign out of the console.
   * Ends the session of the cookie, removes the cookie and asks the browser to forget what it has stored of the console.
   */
  delete(options?: WriteOptions): Call<void> {
    return this.transport.call({ method: 'DELETE', options, path: '/session', cost: 0 });
  }
}

export class Usages extends Group {
  /**
   * List the plans.
   * Cheapest first. Needs no key and costs no quota.
   */
  plans(options?: RequestOptions): Call<(Plan)[]> {
    return this.transport.call({ method: 'GET', options, path: '/plans', cost: 0 });
  }

  /**
   * Get the usage of the workspace.
   * The windows and bans now, 30 days of history by key and operation, and calls of deprecated operations. Reads at most 5,000 entries of the history. Costs no quota; at most 60 a minute per key.
   */
  get(query?: GetUsageQuery, options?: RequestOptions): Call<Usage> {
    return this.transport.call({ method: 'GET', query, options, path: '/usage', cost: 0 });
  }

  /**
   * Get advice on the plan.
   * Replays the last 24 hours, minute by minute, against every plan. Costs no quota; at most 60 a minute per key.
   * Stability: experimental.
   */
  advice(options?: RequestOptions): Call<UsageAdvice> {
    return this.transport.call({ method: 'GET', options, path: '/usage/advice', cost: 0 });
  }

  /**
   * Get the requests of each minute.
   * The last minutes, oldest first; the current one is the last. Minutes are those of the clock, not of the window. Costs no quota; at most 60 a minute per key.
   * Stability: experimental.
   */
  minutes(query?: GetUsageMinutesQuery, options?: RequestOptions): Call<(UsageMinute)[]> {
    return this.transport.call({ method: 'GET', query, options, path: '/usage/minutes', cost: 0 });
  }
}

export class Audit extends Group {
  /**
   * List who changed keys, webhooks, the plan and the workspace.
   * Newest first. Of an operator it shows `operator` and nothing else. A filtered page may have fewer rows than `limit`, or none; continue while there is a `next` link.
   */
  list(query?: ListAuditQuery, options?: RequestOptions): ListCall<AuditEntry> {
    return this.transport.list({ method: 'GET', query, options, path: '/audit' });
  }

  /**
   * Export the audit log of the workspace.
   * The rows of `GET /audit` as NDJSON or CSV, newest first, sent while they are read.
   */
  export(query?: ExportAuditQuery, options?: RequestOptions): Promise<Response> {
    return this.transport.download({ method: 'GET', query, options, path: '/audit/export' });
  }
}

export class Requests extends Group {
  /**
   * List the requests that wrote or were refused.
   * Newest first. Successful reads are not kept: `GET /usage` counts them. A request is here at once on the node that served it, and within 5 seconds on the others. A filtered page may have fewer rows than `limit`, or none; continue while there is a `next` link. Costs no quota; at most 60 a minute per key.
   */
  list(query?: ListRequestsQuery, options?: RequestOptions): ListCall<LoggedRequest> {
    return this.transport.list({ method: 'GET', query, options, path: '/requests', cost: 0 });
  }

  /**
   * Look a request up by its id.
   * The newest request of the workspace with this `X-Request-Id`, if it wrote or was refused. Costs no quota; at most 60 a minute per key.
   */
  get(requestId: string, options: RequestOptions & { ifNoneMatch: string | undefined }): Call<LoggedRequest | undefined>;
  get(requestId: string, options?: RequestOptions): Call<LoggedRequest>;
  get(requestId: string, options?: RequestOptions): Call<never> {
    return this.transport.call({ method: 'GET', options, params: [requestId], path: '/requests/{requestId}', cost: 0 });
  }
}

export class Events extends Group {
  /**
   * Read the feed.
   * Oldest first, from the oldest kept unless `after` is set. The `next` link is always there: follow it, also when no event matched. One request scans at most 1,000 events. Costs no quota; at most 60 reads and streams a minute per key.
   */
  list(query?: ListEventsQuery, options?: RequestOptions): ListCall<PetstoreEvent> {
    return this.transport.list({ method: 'GET', query, options, path: '/events', cost: 0 });
  }

  /**
   * Read one event.
   * Returns 410 once the event is no longer kept.
   */
  get(eventId: string, options?: RequestOptions): Call<PetstoreEvent> {
    return this.transport.call({ method: 'GET', options, params: [eventId], path: '/events/{eventId}', cost: 0 });
  }

  /**
   * Follow the feed.
   * Server-Sent Events: first the events after `after`, then each new one as it happens. Without `after`, it starts with the next event. A client that reconnects with `Last-Event-ID`, as EventSource does, misses nothing. The service sends a comment after 15 seconds without an event. A stream ends after about an hour, when its key expires or is revoked, when its workspace is suspended, and when the node stops. Open at once per workspace and node, waiting polls included: 2 (Free), 5 (Pro), 20 (Business), 100 (Enterprise).
   */
  stream(query?: StreamEventsQuery, options?: StreamOptions): AsyncGenerator<PetstoreEvent, void, undefined> {
    return streamEvents(this.transport, { method: 'GET', query, options, path: '/events/stream', cost: 0 });
  }
}

export class Webhooks extends Group {
  /**
   * List webhooks.
   * Each with its state, its cursor and how many events it is behind.
   */
  list(query?: ListWebhooksQuery, options?: RequestOptions): ListCall<Webhook> {
    return this.transport.list({ method: 'GET', query, options, path: '/webhooks' });
  }

  /**
   * Create a webhook.
   * Only this response contains the signing secret. The service sends a ping to the URL; after the first 2xx it sends events. Defaults: `types` `["*"]`, `after` `latest`, `batchMax` 1, `perSecondMax` 20.
   */
  create(body: NewWebhook, options?: WriteOptions): Call<WithSecret<Webhook, 'secret'>> {
    return this.transport.call({ method: 'POST', body, options, path: '/webhooks' });
  }

  /** Get a webhook. */
  get(webhookId: number, options: RequestOptions & { ifNoneMatch: string | undefined }): Call<Webhook | undefined>;
  get(webhookId: number, options?: RequestOptions): Call<Webhook>;
  get(webhookId: number, options?: RequestOptions): Call<never> {
    return this.transport.call({ method: 'GET', options, params: [webhookId], path: '/webhooks/{webhookId}' });
  }

  /**
   * Update a webhook.
   * A merge patch. A new `url` must answer a ping again. Setting `state` to `enabled` continues from the cursor at once.
   */
  update(webhookId: number, body: WebhookPatch, options?: WriteOptions): Call<Webhook> {
    return this.transport.call({ method: 'PATCH', body, options, params: [webhookId], path: '/webhooks/{webhookId}' });
  }

  /**
   * Delete a webhook.
   * Also deletes its attempts and its parked events.
   */
  delete(webhookId: number, options?: WriteOptions): Call<void> {
    return this.transport.call({ method: 'DELETE', options, params: [webhookId], path: '/webhooks/{webhookId}' });
  }

  /**
   * Replace the signing secret with a new one.
   * Both secrets sign for `overlapSeconds`. A secret that was still in its overlap ends at once.
   */
  rotateSecret(webhookId: number, body?: SecretRotation, options?: WriteOptions): Call<WithSecret<Webhook, 'secret'>> {
    return this.transport.call({ method: 'POST', body, options, params: [webhookId], path: '/webhooks/{webhookId}/rotate' });
  }

  /**
   * Send a ping to a webhook.
   * Sends a ping at once, in any state, in the same way as every delivery; at most 10 a minute. If the response is 2xx, an `unverified` webhook becomes `enabled`.
   */
  ping(webhookId: number, options?: RequestOptions): Call<Attempt> {
    return this.transport.call({ method: 'POST', options, params: [webhookId], path: '/webhooks/{webhookId}/ping', isCapped: true });
  }

  /**
   * Send events to a webhook again, or skip some.
   * Moves the cursor to `after`, backward or forward, and sends the events that follow it in order. A pending retry is due at once.
   */
  replay(webhookId: number, body: Replay, options?: WriteOptions): Call<Webhook> {
    return this.transport.call({ method: 'POST', body, options, params: [webhookId], path: '/webhooks/{webhookId}/replay' });
  }

  /**
   * List the attempts of a webhook.
   * Newest first. The last 1,000 attempts of 7 days are kept.
   */
  listAttempts(webhookId: number, query?: ListAttemptsQuery, options?: RequestOptions): ListCall<Attempt> {
    return this.transport.list({ method: 'GET', query, options, params: [webhookId], path: '/webhooks/{webhookId}/attempts' });
  }

  /**
   * List the parked events of a webhook.
   * Events that the receiver rejected while it accepted later ones.
   */
  listParked(webhookId: number, query?: ListParkedQuery, options?: RequestOptions): ListCall<Parked> {
    return this.transport.list({ method: 'GET', query, options, params: [webhookId], path: '/webhooks/{webhookId}/parked' });
  }

  /**
   * Send one event to a webhook again.
   * Sends the event at once and leaves the cursor where it is. Once it is delivered, it is no longer parked. Nothing is sent while the webhook is disabled or its URL is not verified.
   */
  redeliverEvent(webhookId: number, body: Redelivery, options?: RequestOptions): Call<Attempt> {
    return this.transport.call({ method: 'POST', body, options, params: [webhookId], path: '/webhooks/{webhookId}/deliveries', isCapped: true });
  }
}

export class Admin extends Group {
  /**
   * List all workspaces.
   * Without `state`, those that are erased are left out.
   */
  listWorkspaces(query?: AdminListWorkspacesQuery, options?: RequestOptions): ListCall<Workspace> {
    return this.transport.list({ method: 'GET', query, options, path: '/admin/workspaces' });
  }

  /**
   * Create a workspace.
   * Its first key has the scopes `read`, `write` and `manage`.
   */
  createWorkspace(body: NewWorkspace, options?: WriteOptions): Call<WorkspaceWithKey> {
    return this.transport.call({ method: 'POST', body, options, path: '/admin/workspaces' });
  }

  /** Get any workspace. */
  getWorkspace(workspaceId: number, options: RequestOptions & { ifNoneMatch: string | undefined }): Call<Workspace | undefined>;
  getWorkspace(workspaceId: number, options?: RequestOptions): Call<Workspace>;
  getWorkspace(workspaceId: number, options?: RequestOptions): Call<never> {
    return this.transport.call({ method: 'GET', options, params: [workspaceId], path: '/admin/workspaces/{workspaceId}' });
  }

  /**
   * Rename any workspace, change its plan or its limits.
   * A merge patch of `name`, `plan`, `limits` and `lowStockAt`. `limits` can be set only with the plan Enterprise.
   */
  updateWorkspace(workspaceId: number, body: AdminWorkspacePatch, options?: WriteOptions): Call<Workspace> {
    return this.transport.call({ method: 'PATCH', body, options, params: [workspaceId], path: '/admin/workspaces/{workspaceId}' });
  }

  /**
   * Suspend a workspace.
   * Every node refuses its requests within a second, except `getWorkspace`, `listPlans` and those of sessions. Nothing is delivered, streamed or expired meanwhile, and nothing is lost. A workspace that is suspended already does not change.
   */
  suspendWorkspace(workspaceId: number, body: Suspension, options?: WriteOptions): Call<Workspace> {
    return this.transport.call({ method: 'POST', body, options, params: [workspaceId], path: '/admin/workspaces/{workspaceId}/suspend' });
  }

  /**
   * Resume a suspended workspace.
   * All goes on: webhooks are delivered from where they were, and orders whose time has come end. A workspace that is active already does not change.
   */
  resumeWorkspace(workspaceId: number, options?: WriteOptions): Call<Workspace> {
    return this.transport.call({ method: 'POST', options, params: [workspaceId], path: '/admin/workspaces/{workspaceId}/resume' });
  }

  /**
   * Give a workspace extra requests for today.
   * They count on every node within a second and end with the day, at midnight UTC. Grants of one day add up. A ban of a key stays.
   */
  addGrant(workspaceId: number, body: NewGrant, options?: WriteOptions): Call<Workspace> {
    return this.transport.call({ method: 'POST', body, options, params: [workspaceId], path: '/admin/workspaces/{workspaceId}/grants' });
  }

  /**
   * Close a workspace.
   * Until `eraseAt` it can be read and reopened; then its records are deleted. Only an operator reopens it. A workspace that is closing already does not change.
   */
  closeWorkspace(workspaceId: number, body: AdminClosing, options?: WriteOptions): Call<Workspace> {
    return this.transport.call({ method: 'POST', body, options, params: [workspaceId], path: '/admin/workspaces/{workspaceId}/close' });
  }

  /**
   * Reopen a workspace that is closing.
   * It gets back the state that it had before: active or suspended. A workspace that is active already does not change.
   */
  reopenWorkspace(workspaceId: number, options?: WriteOptions): Call<Workspace> {
    return this.transport.call({ method: 'POST', options, params: [workspaceId], path: '/admin/workspaces/{workspaceId}/reopen' });
  }

  /**
   * Export any workspace.
   * As `GET /workspace/export`, also while the workspace is suspended. `petstore server import-workspace` makes a new workspace of it.
   */
  exportWorkspace(workspaceId: number, options?: RequestOptions): Promise<Response> {
    return this.transport.download({ method: 'GET', options, params: [workspaceId], path: '/admin/workspaces/{workspaceId}/export' });
  }

  /**
   * Find the workspace of a key.
   * Keys and sessions of all workspaces. The `hint` of a key is `psk_` and the first 8 characters of its id.
   */
  listKeys(query?: AdminListKeysQuery, options?: RequestOptions): ListCall<AnyKey> {
    return this.transport.list({ method: 'GET', query, options, path: '/admin/keys' });
  }

  /**
   * Revoke a key of any workspace.
   * The key stops working on every node within a second, and its sessions end with it; also the last key of a workspace with the scope `manage`. The last key of the service with the scope `operate` that does not expire cannot be revoked.
   */
  revokeKey(keyId: string, options?: WriteOptions): Call<void> {
    return this.transport.call({ method: 'DELETE', options, params: [keyId], path: '/admin/keys/{keyId}' });
  }

  /**
   * List the bans in force.
   * The keys that are banned now, in all workspaces. A ban ends at `until`; `DELETE /admin/bans/{keyId}` ends it earlier.
   */
  listBans(query?: AdminListBansQuery, options?: RequestOptions): ListCall<Ban> {
    return this.transport.list({ method: 'GET', query, options, path: '/admin/bans' });
  }

  /**
   * Lift a ban.
   * The key is admitted again at once, as long as its limits allow. Its strikes stay, so the next ban is longer.
   */
  liftBan(keyId: string, options?: WriteOptions): Call<void> {
    return this.transport.call({ method: 'DELETE', options, params: [keyId], path: '/admin/bans/{keyId}' });
  }

  /**
   * List who changed what, in all workspaces.
   * Newest first, with the operators and commands that made the changes.
   */
  listAudit(query?: AdminListAuditQuery, options?: RequestOptions): ListCall<AuditEntry> {
    return this.transport.list({ method: 'GET', query, options, path: '/admin/audit' });
  }

  /**
   * Export the audit log of one workspace or of all.
   * The rows of `GET /admin/audit` as NDJSON or CSV, newest first, sent while they are read.
   */
  exportAudit(query?: AdminExportAuditQuery, options?: RequestOptions): Promise<Response> {
    return this.transport.download({ method: 'GET', query, options, path: '/admin/audit/export' });
  }

  /**
   * List the requests of any workspace that wrote or were refused.
   * Newest first. Without `workspaceId`, the requests that had no valid key. Costs no quota; at most 60 a minute per key.
   */
  listRequests(query?: AdminListRequestsQuery, options?: RequestOptions): ListCall<LoggedRequest> {
    return this.transport.list({ method: 'GET', query, options, path: '/admin/requests', cost: 0 });
  }

  /**
   * Look a request of any workspace up by its id.
   * Clients may choose the id of a request, so two workspaces may have the same; `workspaceId` says whose is meant. Costs no quota; at most 60 a minute per key.
   */
  getRequest(requestId: string, query: AdminGetRequestQuery | undefined, options: RequestOptions & { ifNoneMatch: string | undefined }): Call<LoggedRequest | undefined>;
  getRequest(requestId: string, query?: AdminGetRequestQuery, options?: RequestOptions): Call<LoggedRequest>;
  getRequest(requestId: string, query?: AdminGetRequestQuery, options?: RequestOptions): Call<never> {
    return this.transport.call({ method: 'GET', query, options, params: [requestId], path: '/admin/requests/{requestId}', cost: 0 });
  }

  /**
   * List the nodes of the service.
   * Each process that serves from this database, as it last reported; nodes report every five seconds. A node that was killed is `lost`, and listed for a day.
   */
  listNodes(query?: AdminListNodesQuery, options?: RequestOptions): ListCall<ServiceNode> {
    return this.transport.list({ method: 'GET', query, options, path: '/admin/nodes' });
  }
}
