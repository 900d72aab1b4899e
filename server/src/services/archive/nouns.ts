// What an archive holds of a workspace, in the order in which records refer to those before them.

import { categoryTable } from '../../datastore/categories.ts';
import { movementTable } from '../../datastore/ledger.ts';
import { requestTable } from '../../datastore/logs/request-log.ts';
import { detailValues, WORDS_AT } from '../../datastore/orders/order-details.ts';
import { orderTable } from '../../datastore/orders/orders.ts';
import { petTable } from '../../datastore/pets.ts';
import { wordList } from '../../datastore/search/words.ts';
import { getTable } from '../../datastore/tables.ts';
import { webhookStates } from '../../domain/delivery.ts';
import type { OrderDetails } from '../../domain/order.ts';
import { type Stock, statusOf } from '../../domain/stock.ts';
import { foldCase } from '../../lib/text.ts';
import {
  day,
  type Field,
  flag,
  id,
  instant,
  json,
  keyId,
  minute,
  optional,
  text,
  textIn,
  whole,
  wholeIn,
  words,
} from './fields.ts';
import { arrivalNoun, auditNoun, eventNoun } from './log-nouns.ts';
import { type Line, type Noun, recordNoun } from './noun.ts';

const named = ({ name }: Line) => ({
  name_key: foldCase(name as string),
  words: wordList(name as string),
});

/** They arrive revoked. No digest of a key is equal to theirs, so nothing signs in with them. */
const allKeys = recordNoun(
  'keys',
  getTable('api_keys'),
  {
    id: keyId,
    name: text,
    hint: text,
    scopes: words,
    createdAt: instant,
    expiresAt: optional(instant),
    lastUsedAt: optional(instant),
    revokedAt: optional(instant),
    parentId: optional(keyId),
  },
  {
    hidden: (_, { now }, values) => ({
      digest: `imported ${values.id}`,
      revoked_at: values.revoked_at ?? now,
    }),
  },
);

/** Sessions stay behind: no browser can sign in with them again. */
const keys: Noun = {
  ...allKeys,
  rowOf: (line, target) => (line.parentId === undefined ? allKeys.rowOf!(line, target) : undefined),
};

const categories = recordNoun(
  'categories',
  categoryTable,
  { id: id('categories'), name: text, description: optional(text) },
  { hidden: named },
);

const pets = recordNoun(
  'pets',
  petTable,
  {
    id: id('pets'),
    name: text,
    categoryId: optional(id('categories')),
    reference: optional(text),
    lowStockAt: optional(whole),
    metadata: optional(json),
    quantity: whole,
    reserved: whole,
    held: flag,
    createdAt: instant,
    movedAt: instant,
    deletedAt: optional(instant),
  },
  { shown: (line) => ({ status: statusOf(line as unknown as Stock) }), hidden: named },
);

const orders = recordNoun(
  'orders',
  orderTable,
  {
    id: id('orders'),
    petId: id('pets'),
    quantity: whole,
    shipDate: optional(instant),
    state: text,
    createdAt: instant,
    expiresAt: optional(instant),
    endedAt: optional(instant),
    endReason: optional(text),
    reference: optional(text),
    customer: optional(text),
    note: optional(text),
    metadata: optional(json),
  },
  {
    shown: ({ state }) => ({ complete: state === 'complete' }),
    hidden: (line) => {
      const [words, customerWords] = detailValues(line as OrderDetails).slice(WORDS_AT);
      return { words: words!, customer_words: customerWords! };
    },
  },
);

const ledger = recordNoun('ledger', movementTable, {
  id: id('movements'),
  petId: id('pets'),
  cause: text,
  quantityBefore: whole,
  quantityAfter: whole,
  reservedBefore: whole,
  reservedAfter: whole,
  orderId: optional(id('orders')),
  reason: optional(text),
  reference: optional(text),
  keyId: optional(keyId),
  at: instant,
  reverses: optional(id('movements')),
  reversedBy: optional(id('movements')),
});

const state: Field = {
  write: (value) => webhookStates[value as number],
  read: () => webhookStates.indexOf('disabled'),
};

/** They arrive disabled and not verified: nothing is sent to an address that was not verified here. */
const webhooks = recordNoun(
  'webhooks',
  getTable('webhooks'),
  {
    id: id('webhooks'),
    url: text,
    types: words,
    description: optional(text),
    state,
    stateReason: optional(text),
    cursor: { write: String, read: (value) => wholeIn(Number(textIn(value))) },
    batchMax: whole,
    perSecondMax: whole,
    failingSince: optional(instant),
    createdAt: instant,
  },
  {
    hidden: (_, { newSecret }) => {
      const { sealed, hint } = newSecret();
      return {
        state_reason: 'unverified',
        is_verified: 0,
        failures: 0,
        rejections: 0,
        failing_since: null,
        revision: 1,
        cursor_revision: 1,
        lease_number: 0,
        secret: sealed,
        secret_hint: hint,
      };
    },
  },
);

const attempts = recordNoun(
  'attempts',
  getTable('webhook_attempts'),
  {
    id: id('webhook_attempts'),
    webhookId: id('webhooks'),
    firstSequence: optional(whole),
    lastSequence: optional(whole),
    attempt: whole,
    at: instant,
    durationMs: whole,
    outcome: text,
    status: optional(whole),
    excerpt: optional(text),
  },
  { staysBehind: true },
);

const parked = recordNoun(
  'parked',
  getTable('webhook_parked'),
  {
    webhookId: id('webhooks'),
    sequence: whole,
    attempts: whole,
    status: optional(whole),
    parkedAt: instant,
  },
  { staysBehind: true },
);

const usageDays = recordNoun('usage-days', getTable('usage_days'), {
  date: { ...day, column: 'day' },
  keyId,
  operationId: text,
  admitted: whole,
  refused: whole,
  failed: whole,
  lastAt: instant,
});

const usageMinutes = recordNoun('usage-minutes', getTable('usage_minutes'), {
  minute,
  requests: whole,
  refused: whole,
});

const requests = recordNoun(
  'requests',
  requestTable,
  {
    id: text,
    at: instant,
    method: text,
    route: optional(text),
    path: text,
    operationId: optional(text),
    status: whole,
    code: optional(text),
    keyId: optional(keyId),
    durationMs: { ...whole, column: 'duration_us', write: (value) => (value as number) / 1000 },
    requestBytes: whole,
    responseBytes: whole,
    isReplay: flag,
    via: text,
    traceId: optional(text),
    address: text,
  },
  { staysBehind: true },
);

export const nouns: readonly Noun[] = [
  keys,
  categories,
  pets,
  orders,
  ledger,
  eventNoun,
  arrivalNoun,
  webhooks,
  attempts,
  parked,
  usageDays,
  usageMinutes,
  auditNoun,
  requests,
];

/** Tables of a workspace that an archive leaves out, and why. */
export const tablesNotArchived: Readonly<Record<string, string>> = {
  category_words: 'they follow from the names of categories',
  pet_words: 'they follow from the names of pets',
  order_words: 'they follow from the customers and references of orders',
  event_heads: 'the manifest has it',
  idempotency: 'a retry goes to the service that has stored the response',
  limit_counters: 'they count the minute and the day that go on',
  bans: 'they are about keys, which arrive revoked; the audit log tells of them',
  daily_events: 'they tell which notices of today were given',
};
