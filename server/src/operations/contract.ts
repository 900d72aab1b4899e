// What an operation declares: the part of it that the contract shows.

import type { TSchema } from 'typebox';
import type { ErrorCode } from '../domain/errors.ts';
import type { EventType } from '../domain/event.ts';
import type { Scope } from '../domain/key.ts';
import type { AuditAction } from '../domain/logs/audit.ts';
import type { WorkspaceState } from '../domain/workspace.ts';
import type { Params } from './parameters.ts';

/** The noun of an operation: its group in the contract and in the client. */
export type Tag =
  | 'animals'
  | 'categories'
  | 'inventory'
  | 'orders'
  | 'workspace'
  | 'keys'
  | 'session'
  | 'usage'
  | 'admin'
  | 'webhooks'
  | 'events'
  | 'requests'
  | 'audit';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The declared part of an operation. */
export interface Contract {
  /** The operationId of the contract. The file has the same name. */
  id: string;
  method: Method;
  /** The path below /v1, with its parameters in braces. */
  path: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** The scope that a key needs; `any` for operations that any key may use, `none` for those that need no key. */
  scope: Scope | 'any' | 'none';
  /** `opens`: needs a key, and the handler calls `setCookie`. `reads` and `ends`: need a session. Absent: accepts both. */
  session?: 'opens' | 'reads' | 'ends';
  /** The states of its workspace, besides `active`, in which it is served. Absent: a read in `closing`, a write in none. */
  servedWhile?: readonly WorkspaceState[];
  /** `free` costs no quota; the others count in a bucket of their own, per key. Absent: costs one request. */
  metering?: 'free' | 'account' | 'events' | 'mcp' | 'requests';
  /** Absent: stable. */
  stability?: 'beta' | 'experimental';
  deprecation?: Deprecation;
  /** The parameters in the path. */
  params?: Params;
  /** The filters in the query; http adds the paging parameters of a list. */
  query?: Params;
  /** The request headers that the handler reads, in lower case, each with its description. */
  requestHeaders?: Readonly<Record<string, string>>;
  /** The body, as the contract shows it. */
  body?: TSchema;
  /** The body as http checks it, where the handler checks parts of it by itself. */
  bodyToCheck?: TSchema;
  isBodyOptional?: boolean;
  /** A write of one record, which takes If-Match and If-None-Match: the handler calls `checkMatch`. */
  isConditional?: true;
  /** A POST that replaces what was there. Absent: a POST only adds. */
  overwrites?: true;
  /** The error codes beyond those that follow from the rest of the contract. */
  errors?: readonly ErrorCode[];
  /** An example of the body. It works as it stands in a store with a category 1 and a pet 1, and does no harm. */
  requestExample?: unknown;
  /** The types of events that the operation may emit. */
  events?: readonly EventType[];
  /** The actions that the operation may write to the audit log. Absent: none. */
  audits?: readonly AuditAction[];
  /** The requests that the service sends because of this one, by name. */
  callbacks?: Readonly<Record<string, Callback>>;
  /** An example of the response. */
  example?: unknown;
  /** Present if the operation returns one page of a list. */
  list?: ListSpec;
  /** How long http may serve the response from its cache. Absent: never. */
  cacheableUntil?: CacheableUntil;
  /** Takes `dryRun` in its query; a dry run keeps nothing. */
  takesDryRun?: true;
  /** Whether a query asks for the past. Its response has no ETag, because no change refers to it. */
  isPast?: (query: Readonly<Record<string, unknown>>) => boolean;
  /** Whether the response to a query is cached, by what the handler returned; always if absent. */
  isCacheable?: (query: Readonly<Record<string, unknown>>, value: unknown) => boolean;
  /** For which queries a read waits. It does not count as running work then; `openReaders` limits how many wait. */
  isWaiting?: (query: Readonly<Record<string, unknown>>) => boolean;
}

/**
 * How long a cached response is valid. `workspaceWrites`: until a request of the workspace writes. `storeCommits`: until
 * anything is committed; for responses with events, which background work also emits.
 */
export type CacheableUntil = 'workspaceWrites' | 'storeCommits';

interface Deprecation {
  /** ISO date. */
  since: string;
  /** ISO date; from then on the response is 410. */
  sunset: string;
  /** What to call instead, as text. */
  successor: string;
  /** What to call instead, as a URL path with the parameters of the request. */
  successorPath: (params: Record<string, string>) => string;
}

export interface ListSpec<Sort extends string = string> {
  /** What the list can be sorted by; each also works with a minus sign. */
  sorts: readonly Sort[];
  /** The order of a request without `sort`; `id` if absent. */
  defaultSort?: Sort | `-${Sort}`;
}

/** A request that the service sends to a URL which its client has named. */
export interface Callback {
  /** Where the URL comes from, as a runtime expression of OpenAPI. */
  url: string;
  summary: string;
  headers: Readonly<Record<string, string>>;
  body: TSchema;
  examples: Readonly<Record<string, unknown>>;
}
