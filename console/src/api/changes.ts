// What a write makes old, by its operation id. The event stream uses the same table: an event names the same topic.

import type { PetstoreEvent as Event, ReadOperation, WriteOperation } from '@petstore/client';
import { queries } from './query.ts';

/** The part of the type of an event before its dot. */
type TopicOf<Type> = Type extends `${infer Topic}.${string}` ? Topic : never;
type Topic = TopicOf<Event['type']>;

const stock = ['listInventory', 'getInventoryItem', 'listMovements', 'listLedger'] as const;
/** What is shown of the usage is read together: it would contradict itself otherwise. It costs nothing of the plan. */
export const USAGE_OPERATIONS = ['getUsage', 'getUsageMinutes', 'getUsageAdvice'] as const;

/** Reading these costs nothing of the plan. */
const FREE: readonly ReadOperation[] = [
  ...USAGE_OPERATIONS,
  'listRequests',
  'getRequest',
  'adminListRequests',
  'adminGetRequest',
];

/** What shows a topic. */
const reads: Record<Topic, readonly ReadOperation[]> = {
  pet: ['listPets', 'listInventory', 'getInventoryItem', 'listLedger'],
  category: ['listCategories', 'getCategory'],
  inventory: ['listPets', ...stock],
  order: ['listOrders', 'getOrder', 'listPets', ...stock],
  workspace: [
    'getWorkspace',
    'adminGetWorkspace',
    'adminListWorkspaces',
    'listAudit',
    ...USAGE_OPERATIONS,
  ],
  key: ['listKeys', 'adminListKeys', 'listAudit'],
  ban: ['adminListBans', 'listAudit', ...USAGE_OPERATIONS],
  limit: USAGE_OPERATIONS,
  deprecation: USAGE_OPERATIONS,
  webhook: ['listWebhooks', 'getWebhook', 'listAttempts', 'listParked', 'listAudit'],
};

/** The topic of each write. A session shows nothing but itself. */
const topics: Record<WriteOperation, Topic | undefined> = {
  createPet: 'pet',
  createPets: 'pet',
  putPetByReference: 'pet',
  updatePet: 'pet',
  deletePet: 'pet',
  createCategory: 'category',
  updateCategory: 'category',
  deleteCategory: 'category',
  adjustInventory: 'inventory',
  updateInventory: 'inventory',
  setStock: 'inventory',
  reverseMovement: 'inventory',
  placeOrder: 'order',
  placeOrders: 'order',
  updateOrder: 'order',
  cancelOrder: 'order',
  updateWorkspace: 'workspace',
  adminCreateWorkspace: 'workspace',
  adminUpdateWorkspace: 'workspace',
  closeWorkspace: 'workspace',
  reopenWorkspace: 'workspace',
  adminRevokeKey: 'key',
  adminAddGrant: 'workspace',
  adminSuspendWorkspace: 'workspace',
  adminResumeWorkspace: 'workspace',
  adminCloseWorkspace: 'workspace',
  adminReopenWorkspace: 'workspace',
  signUp: undefined,
  createKey: 'key',
  revokeKey: 'key',
  rotateKey: 'key',
  createSession: undefined,
  deleteSession: undefined,
  createWebhook: 'webhook',
  updateWebhook: 'webhook',
  deleteWebhook: 'webhook',
  rotateWebhookSecret: 'webhook',
  pingWebhook: 'webhook',
  replayWebhook: 'webhook',
  redeliverEvent: 'webhook',
  adminLiftBan: 'ban',
};

export function topicOf({ type }: Event): Topic {
  return type.split('.')[0] as Topic;
}

/** The operations whose answers an event makes old. */
export function readsOf(event: Event): readonly ReadOperation[] {
  return reads[topicOf(event)] ?? [];
}

/** Whether reading it costs nothing of the plan. */
export function isFree(operation: ReadOperation): boolean {
  return FREE.includes(operation);
}

/**
 * Marks what the write concerns as old, and reads again what the screen shows of it once a form that the write ends has
 * left it. Every write is in the request log. A record that was deleted is not read again: it is gone.
 */
export function noteChange(operation: WriteOperation): void {
  const topic = topics[operation];
  const isDeletion = /^delete/.test(operation);
  const concerned = ['listRequests' as const, ...(topic ? reads[topic] : [])];
  for (const read of concerned) for (const query of queries.of(read)) query.invalidate(false);
  const read = concerned.filter((each) => !(isDeletion && each.startsWith('get')));
  setTimeout(() => {
    for (const query of read.flatMap((each) => queries.of(each))) query.fetchIfInvalid();
  });
}

/** How long after its answer a write may still be waiting for its event. */
const ECHO_MS = 10_000;
/** How many writes are remembered at most. */
const ECHOES_MAX = 50;

interface OwnWrite {
  topic: Topic;
  /** Epoch milliseconds; Infinity until it is answered. */
  until: number;
  /** How many events of a type it may cause: one for each of its rows. */
  rows: number;
  heard: Map<string, number>;
}

let ownWrites: OwnWrite[] = [];

/**
 * Remembers a write of this page, whose events are echoes. The function that is returned says that it is answered, or that
 * it failed: an event of a write whose answer was lost is news.
 */
export function expectEcho(operation: WriteOperation, rows = 1): (hasFailed?: boolean) => void {
  const topic = topics[operation];
  if (!topic) return () => {};
  const write: OwnWrite = { topic, until: Number.POSITIVE_INFINITY, rows, heard: new Map() };
  ownWrites = [...ownWrites.slice(1 - ECHOES_MAX), write];
  return (hasFailed) => {
    write.until = hasFailed ? 0 : Date.now() + ECHO_MS;
  };
}

/**
 * Whether the event tells of a write of this page, which has read again what it changed. A row of a write causes at most
 * one event of a type, so the events of another page of the same session are heard.
 */
export function isEcho(event: Event, keyId: string | undefined): boolean {
  if (!('keyId' in event) || event.keyId !== keyId) return false;
  ownWrites = ownWrites.filter(({ until }) => until > Date.now());
  const topic = topicOf(event);
  const heardOf = ({ heard }: OwnWrite) => heard.get(event.type) ?? 0;
  const own = ownWrites.find((write) => write.topic === topic && heardOf(write) < write.rows);
  own?.heard.set(event.type, heardOf(own) + 1);
  return own !== undefined;
}
