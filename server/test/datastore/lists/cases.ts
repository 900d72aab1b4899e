// Every list of the service with its filters. For each filter there are values that match all rows of `fillStore`, none, one
// that is far from both ends, or few. A new filter or sort is one line here.

import type { Readers } from '../../../src/datastore/datastore.ts';
import type { Page, PageRequest } from '../../../src/datastore/list.ts';
import type { Position } from '../../../src/lib/cursor.ts';
import { isThorough } from '../../support/effort.ts';
import { seed } from '../../support/seed.ts';
import { NOW } from '../fixture.ts';
import {
  type Filled,
  idAt,
  keyAt,
  nameAt,
  RARE,
  ROWS,
  referenceAt,
  timeAt,
} from './filled-store.ts';

// biome-ignore lint/suspicious/noExplicitAny: each list has its own filter, and the cases make all combinations of them.
export type Filter = any;

export interface ListCase {
  name: string;
  table: string;
  sorts: readonly string[];
  /** For each filter its values: first one that most rows have, then one that few or none have. */
  filters: Record<string, readonly unknown[]>;
  /** How many rows are read for each item of the page; 1 if absent. */
  rowsPerItem?: number;
  /** Where row n stands. */
  positionOf(n: number, sort: string, filter: Filter): Position;
  read(readers: Readers, filter: Filter, page: PageRequest<string>): Promise<Page<unknown>>;
}

const byId = (n: number): Position => [idAt(n)];
const bothWays = (...names: string[]) => names.flatMap((name) => [name, `-${name}`]);
const never = NOW - 1;
const ever = NOW + 10 * ROWS;
const words = [
  ['shared'],
  ['w0010', 'shared'],
  ['shared', 'shared', 'shared'],
  [`w${String(100_000 + RARE).slice(1)}`],
  ['zebra'],
];
const namePrefix = ['shared', 'shared name 0010', nameAt(RARE), 'zebra'];

export function listCases({ workspaceId, categories, pets, webhooks }: Filled): ListCase[] {
  const petFilters = {
    status: ['available', 'pending', 'sold'],
    categoryId: [categories.common, categories.empty, categories.rare],
    namePrefix,
    availableBelow: [100, 0, 1],
    words,
    low: [
      { isLow: true, lowStockAt: 0 },
      { isLow: true, lowStockAt: 100 },
    ],
  };
  const ids = [Array.from({ length: 50 }, (_, at) => idAt(at * 20))];
  const period = {
    from: [timeAt(RARE), timeAt(50), never, ever],
    to: [timeAt(RARE), never, ever],
  };
  return [
    {
      name: 'pets',
      table: 'pets',
      sorts: bothWays('id', 'name'),
      filters: petFilters,
      positionOf: (n, sort) => (sort.endsWith('name') ? [nameAt(n), idAt(n)] : [idAt(n)]),
      read: (readers, filter, page) =>
        readers.pets.list(workspaceId, filter, page as PageRequest<'id' | 'name'>),
    },
    {
      name: 'pets with given ids',
      table: 'pets',
      sorts: bothWays('id', 'name'),
      filters: { ids, ...petFilters },
      positionOf: (n, sort) => (sort.endsWith('name') ? [nameAt(n), idAt(n)] : [idAt(n)]),
      read: (readers, filter, page) =>
        readers.pets.list(workspaceId, filter, page as PageRequest<'id' | 'name'>),
    },
    {
      name: 'pets with given references',
      table: 'pets',
      sorts: bothWays('id', 'name'),
      filters: {
        references: [Array.from({ length: 50 }, (_, at) => referenceAt(at * 20))],
        status: petFilters.status,
        words: [['shared']],
      },
      positionOf: (n, sort) => (sort.endsWith('name') ? [nameAt(n), idAt(n)] : [idAt(n)]),
      read: (readers, filter, page) =>
        readers.pets.list(workspaceId, filter, page as PageRequest<'id' | 'name'>),
    },
    {
      name: 'inventory',
      table: 'pets',
      sorts: bothWays('id'),
      filters: petFilters,
      positionOf: byId,
      read: (readers, filter, page) => readers.stock.list(workspaceId, filter, page as PageRequest),
    },
    {
      name: 'inventory with given ids',
      table: 'pets',
      sorts: bothWays('id'),
      filters: { ids, ...petFilters },
      positionOf: byId,
      read: (readers, filter, page) => readers.stock.list(workspaceId, filter, page as PageRequest),
    },
    {
      name: 'inventory as of a moment',
      table: 'pets',
      sorts: bothWays('id'),
      filters: {
        asOf: [ever, NOW + RARE, never],
        categoryId: petFilters.categoryId,
        namePrefix,
        words,
      },
      rowsPerItem: 4,
      positionOf: byId,
      read: (readers, filter, page) =>
        readers.ledger.listAsOf(workspaceId, { asOf: ever, ...filter }, page as PageRequest),
    },
    {
      name: 'orders',
      table: 'orders',
      sorts: bothWays('id', 'shipDate'),
      filters: {
        petId: Object.values(pets),
        complete: [true, false],
        state: [['open', 'complete', 'cancelled', 'expired'], ['expired'], ['cancelled'], ['open']],
        shipDateFrom: [timeAt(RARE), timeAt(50), never, ever],
        shipDateTo: [timeAt(RARE), never, ever],
        expiresBefore: [ever, never, NOW],
        createdFrom: [timeAt(RARE), ever],
        createdTo: [timeAt(RARE), never],
        reference: ['shared', 'rare', 'unknown'],
        words,
        customerWords: [['shared'], ['w0010', 'shared'], ['zebra']],
      },
      positionOf: (n, sort) => (sort.endsWith('shipDate') ? [timeAt(n), idAt(n)] : [idAt(n)]),
      read: (readers, filter, page) =>
        readers.orders.list(workspaceId, filter, page as PageRequest<'id' | 'shipDate'>),
    },
    {
      name: 'ledger',
      table: 'movements',
      sorts: bothWays('id'),
      filters: {
        petId: Object.values(pets),
        cause: ['adjusted', 'sold', 'set'],
        keyId: ['usual', 'unknown', 'rare'],
        ...period,
      },
      positionOf: (n, _sort, { petId, from, to }) => {
        const isByTime = petId !== undefined || from !== undefined || to !== undefined;
        return isByTime ? [timeAt(n), idAt(n)] : [idAt(n)];
      },
      read: (readers, filter, page) =>
        readers.ledger.list(workspaceId, filter, page as PageRequest),
    },
    {
      name: 'requests',
      table: 'request_log',
      sorts: bothWays('at'),
      filters: {
        status: [200, 500, 409].map((lowest) => ({ lowest, highest: lowest + 99 })),
        code: ['conflict', 'unknown'],
        operationId: ['usual', 'unknown', 'rare'],
        keyId: ['usual', 'unknown', 'rare'],
        ...period,
      },
      positionOf: (n) => [timeAt(n), String(100_000 + n).slice(1)],
      read: (readers, filter, page) =>
        readers.requestLog.list(workspaceId, filter, page as PageRequest<'at'>),
    },
    {
      name: 'audit log',
      table: 'audit_log',
      sorts: bothWays('at'),
      filters: {
        action: ['key.created', 'key.revoked'],
        target: ['usual', 'unknown', 'rare'],
        actor: ['usual', 'unknown', 'rare'],
        ...period,
      },
      positionOf: (n) => [timeAt(n), idAt(n)],
      read: (readers, filter, page) =>
        readers.auditLog.listOwn(workspaceId, filter, page as PageRequest<'at'>),
    },
    {
      name: 'audit log of all workspaces',
      table: 'audit_log',
      sorts: bothWays('at'),
      filters: { target: ['usual', 'unknown'], ...period },
      positionOf: (n) => [timeAt(n), idAt(n)],
      read: (readers, filter, page) =>
        readers.auditLog.list(undefined, filter, page as PageRequest<'at'>),
    },
    {
      name: 'categories',
      table: 'categories',
      sorts: bothWays('id'),
      filters: { namePrefix, words: [['shared'], ['zebra']] },
      positionOf: byId,
      read: (readers, filter, page) =>
        readers.categories.list(workspaceId, filter, page as PageRequest),
    },
    {
      name: 'keys',
      table: 'api_keys',
      sorts: bothWays('id'),
      filters: { sessions: ['all', 'open', 'none'], ids: [[keyAt(1), keyAt(RARE), keyAt(ROWS)]] },
      positionOf: (n) => [keyAt(n)],
      read: (readers, filter, page) =>
        readers.keys.list(workspaceId, { now: ever, ...filter }, page as PageRequest),
    },
    {
      name: 'keys of all workspaces',
      table: 'api_keys',
      sorts: bothWays('id'),
      filters: { idPrefix: [keyAt(RARE), keyAt(RARE).slice(0, 2)] },
      positionOf: (n) => [keyAt(n)],
      read: (readers, filter, page) =>
        readers.keys.listAny((filter as { idPrefix?: string }).idPrefix, page as PageRequest),
    },
    {
      name: 'webhooks',
      table: 'webhooks',
      sorts: bothWays('id'),
      filters: {},
      positionOf: byId,
      read: (readers, _filter, page) => readers.webhooks.list(workspaceId, page as PageRequest),
    },
    {
      name: 'attempts of a webhook',
      table: 'webhook_attempts',
      sorts: bothWays('id'),
      filters: { id: Object.values(webhooks), outcome: ['delivered', 'timeout', 'failed'] },
      positionOf: byId,
      read: (readers, { id = webhooks.common, outcome }, page) =>
        readers.deliveries.attempts({ workspaceId, id }, outcome, page as PageRequest),
    },
    {
      name: 'parked events of a webhook',
      table: 'webhook_parked',
      sorts: bothWays('id'),
      filters: { id: Object.values(webhooks) },
      positionOf: (n) => [n],
      read: (readers, { id = webhooks.common }, page) =>
        readers.deliveries.parked({ workspaceId, id }, page as PageRequest),
    },
    {
      name: 'workspaces',
      table: 'workspaces',
      sorts: bothWays('id'),
      filters: { state: ['active', 'suspended', 'closing', 'erased'] },
      positionOf: byId,
      read: (readers, { state }, page) => readers.workspaces.list(page as PageRequest, state),
    },
  ];
}

/** No filter, and each filter with each of its values. */
export function singles({ filters }: ListCase): Filter[] {
  return [{}, ...Object.keys(filters).flatMap((name) => valuesOf(filters, name))];
}

/** Each pair of filters. */
export const pairs = (list: ListCase): Filter[] => combined(list, 2);

/** Thoroughly each triple of filters, otherwise one of four: SEED says which. */
export const triples = (list: ListCase): Filter[] =>
  combined(list, 3).filter((_, at) => isThorough || (at + seed) % 4 === 0);

/** Combinations of filters in which one has a value that few rows have, and the others one that most have; thoroughly all values. */
function combined({ filters }: ListCase, size: number): Filter[] {
  return subsets(Object.keys(filters), size).flatMap((names) => {
    const values = names.map((name) => valuesOf(filters, name));
    if (isThorough) return values.reduce(mergeEach, [{}]);
    return names.map((_, few) =>
      Object.assign({}, ...values.map((each, at) => (at === few && each[1]) || each[0])),
    );
  });
}

const mergeEach = (filters: Filter[], values: Filter[]): Filter[] =>
  filters.flatMap((filter) => values.map((value) => ({ ...filter, ...value })));

function subsets(names: readonly string[], size: number): string[][] {
  if (size === 0) return [[]];
  return names.flatMap((name, at) =>
    subsets(names.slice(at + 1), size - 1).map((others) => [name, ...others]),
  );
}

const valuesOf = (filters: ListCase['filters'], name: string): Filter[] =>
  filters[name]!.map((value) => ({ [name]: value }));
