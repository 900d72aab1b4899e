// An operation is one value: its contract and its handler. http and contract derive the route, the validation, the
// serialisation, the scope check, the lifecycle headers and the OpenAPI document from it.

import type { Static, TSchema, TUndefined } from 'typebox';
import type { Readers, Transaction } from '../datastore/datastore.ts';
import type { PageRequest } from '../datastore/list.ts';
import type { Caller } from '../domain/key.ts';
import type { Author } from '../domain/logs/audit.ts';
import type { PlanId } from '../domain/plan.ts';
import type { Clock } from '../lib/clock.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { WorkspaceExports } from '../services/archive/workspace-exports.ts';
import type { ChangeLog } from '../services/cluster/change-log.ts';
import type { NodeRegistry } from '../services/cluster/node-registry.ts';
import type { CredentialCache } from '../services/credential-cache.ts';
import type { EventFeed } from '../services/events/event-feed.ts';
import type { OpenReaders } from '../services/events/open-readers.ts';
import type { ReaderAccess } from '../services/events/reader-access.ts';
import { refuseInactiveKey } from '../services/keys.ts';
import type { RequestLog } from '../services/logs/request-log.ts';
import type { UsageRecorder } from '../services/usage-recorder.ts';
import type { Deprecations } from '../services/usage-report.ts';
import type { WebhookGateway } from '../services/webhooks.ts';
import type { Contract, ListSpec, Tag } from './contract.ts';
import { bool, type Params, type ParamsOf, type QueryOf } from './parameters.ts';
import { previewOf, type Success } from './success.ts';

/** A request after http has parsed and checked it. */
export interface Call<P, Q, B, Sort extends string = string> {
  caller: Caller;
  params: P;
  query: Q;
  body: B;
  page: PageRequest<Sort>;
  now: number;
  /** Throws a Refusal if the request has a condition that this record, in its wire shape, does not meet. */
  checkMatch: (view: unknown) => void;
  /** Whom the audit log names for what the request does. */
  author: () => Author;
  /** The headers that the operation declares. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Calls the listener when the client closes the connection, until the returned function is called. */
  onClose: (listener: () => void) => () => void;
}

/** What http puts into the cookie of a new session. No body shows it. */
export interface NewCookie {
  secret: string;
  maxAgeSeconds: number;
}

/** The handler that opens a session calls it. The cookie is sent once the session is committed. */
export type SetCookie = (cookie: NewCookie) => void;

/** What a handler can use besides its call. */
export interface Dependencies {
  store: Readers;
  clock: Clock;
  changes: ChangeLog;
  credentials: CredentialCache;
  limiter: Limiter;
  usage: UsageRecorder;
  /** Absent if no requests are kept. */
  requestLog: RequestLog | undefined;
  deprecations: Deprecations;
  isSignupOpen: boolean;
  selfServicePlans: readonly PlanId[];
  /** Whether the service has a console and accepts its sessions. */
  isConsoleOpen: boolean;
  events: EventFeed;
  /** The streams and waiting polls of this node. */
  openReaders: OpenReaders;
  exports: WorkspaceExports;
  readerAccess: ReaderAccess;
  nodes: Pick<NodeRegistry, 'list'>;
  /** Absent unless a key that seals secrets is configured. */
  webhooks?: WebhookGateway;
}

/** An operation of any type, as http and contract see it. */
export interface Operation extends Contract {
  kind: 'read' | 'write' | 'action';
  /** Whether this service offers the operation. If not, the response is 404. */
  isOffered?: (deps: Dependencies) => boolean;
  success: Success<never>;
  prepare?: (call: Call<never, never, never>, deps: Dependencies) => Promise<unknown>;
  /** Takes a transaction if it writes, otherwise the readers of the datastore. */
  handle: (call: Call<never, never, never>, storage: never, deps: Dependencies) => Promise<unknown>;
  /** What the response to a dry run shows, if it has a body. */
  preview?: (value: never) => unknown;
  cost?: (body: never) => number;
  storable?: (value: never) => unknown;
  afterCommit?: AfterCommit;
}

type AfterCommit = (
  deps: Dependencies,
  call: { caller: Caller; params: unknown },
) => void | Promise<void>;
type NoParams = Record<never, never>;

/** The writes of these tags take `dryRun`, unless their response holds a secret. */
const DRY_RUN_TAGS = new Set<Tag>(['animals', 'categories', 'inventory', 'orders', 'workspace']);
const dryRun = bool('If true, the request is checked as usual but nothing is saved.', {
  default: false,
});

type Declaration<T, P, Q, Sort extends string> = Omit<
  Contract,
  'params' | 'query' | 'body' | 'list' | 'requestExample' | 'isCacheable'
> & {
  params?: P;
  query?: Q;
  list?: ListSpec<Sort>;
  success: Success<T>;
  isCacheable?: (query: QueryOf<Q>, value: T) => boolean;
  isOffered?: Operation['isOffered'];
};

/** Declares an operation that reads. The types of the handler follow from the declared parameters and sorts. */
export function readOperation<
  T,
  P extends Params = NoParams,
  Q extends Params = NoParams,
  const Sort extends string = 'id',
>(
  declaration: Declaration<T, P, Q, Sort> & {
    handle: (
      call: Call<ParamsOf<P>, QueryOf<Q>, undefined, Sort>,
      store: Readers,
      deps: Dependencies,
    ) => Promise<T>;
  },
): Operation {
  return { kind: 'read', ...(declaration as unknown as Omit<Operation, 'kind'>) };
}

/**
 * Declares an operation that writes. Its handler runs inside one transaction and awaits nothing but `tx`. If it needs
 * `manage` or `operate`, the transaction first reads the key again, so a key that another node has just revoked cannot act.
 * A dry run runs the same handler in a transaction that keeps nothing.
 */
export function writeOperation<
  T,
  P extends Params = NoParams,
  Q extends Params = NoParams,
  B extends TSchema = TUndefined,
  R = undefined,
>(
  declaration: Declaration<T, P, Q, 'id'> & {
    body?: B;
    requestExample?: Static<B>;
    /**
     * Runs before the transaction, for I/O that a transaction must not wait for, such as a DNS look-up. If it fails, the
     * error is thrown when the handler would run. A replay returns its stored response regardless.
     */
    prepare?: (call: Call<ParamsOf<P>, QueryOf<Q>, Static<B>>, deps: Dependencies) => Promise<R>;
    /** The requests of the quota that this request costs; one if absent. */
    cost?: (body: Static<B>) => number;
    handle: (
      call: Call<ParamsOf<P>, QueryOf<Q>, Static<B>> & { prepared: R; setCookie: SetCookie },
      tx: Transaction,
      deps: Dependencies,
    ) => Promise<T>;
    /** The part of the response that may be stored for replays; it omits secrets. */
    storable?: (value: T) => unknown;
    /** Runs after the commit, before the response is sent. */
    afterCommit?: AfterCommit;
  },
): Operation {
  const { scope } = declaration;
  const isChecked = scope === 'manage' || scope === 'operate';
  const handle: typeof declaration.handle = async (call, tx, deps) => {
    await refuseInactiveKey(tx, call);
    return declaration.handle(call, tx, deps);
  };
  const checked = isChecked ? { ...declaration, handle } : declaration;
  const operation = { kind: 'write', ...(checked as unknown as Omit<Operation, 'kind'>) } as const;
  if (!DRY_RUN_TAGS.has(operation.tag) || operation.storable) return operation;
  const preview = previewOf(operation.success);
  const query = { ...operation.query, dryRun };
  return { ...operation, takesDryRun: true, query, ...(preview ? { preview } : {}) };
}

/**
 * Declares an operation that does something which no transaction can undo, such as sending a request. Under an
 * Idempotency-Key it runs again only if the process died before its response was stored.
 */
export function actionOperation<
  T,
  P extends Params = NoParams,
  Q extends Params = NoParams,
  B extends TSchema = TUndefined,
>(
  declaration: Declaration<T, P, Q, 'id'> & {
    body?: B;
    requestExample?: Static<B>;
    handle: (
      call: Call<ParamsOf<P>, QueryOf<Q>, Static<B>>,
      store: Readers,
      deps: Dependencies,
    ) => Promise<T>;
  },
): Operation {
  const handle: typeof declaration.handle = async (call, store, deps) => {
    await refuseInactiveKey(store, call);
    return declaration.handle(call, store, deps);
  };
  return { kind: 'action', ...({ ...declaration, handle } as unknown as Omit<Operation, 'kind'>) };
}
