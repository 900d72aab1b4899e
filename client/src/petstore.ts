import type { Call } from './call.ts';
import * as groups from './contract.ts';
import type { AnyRequestOptions, PetstoreOptions } from './options.ts';
import type { RateLimit } from './rate-limit.ts';
import { Transport } from './transport.ts';

/** The client of a Pet Store. It has one group of methods for each noun, and one method for each operation. */
export class Petstore {
  readonly #transport: Transport;
  declare readonly pets: groups.Pets;
  declare readonly categories: groups.Categories;
  declare readonly inventory: groups.Inventory;
  declare readonly orders: groups.Orders;
  declare readonly workspace: groups.Workspaces;
  declare readonly keys: groups.Keys;
  declare readonly session: groups.Sessions;
  declare readonly usage: groups.Usages;
  declare readonly audit: groups.Audit;
  declare readonly requests: groups.Requests;
  declare readonly events: groups.Events;
  declare readonly webhooks: groups.Webhooks;
  declare readonly admin: groups.Admin;

  constructor(options: PetstoreOptions = {}) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.pets = new groups.Pets(transport);
    this.categories = new groups.Categories(transport);
    this.inventory = new groups.Inventory(transport);
    this.orders = new groups.Orders(transport);
    this.workspace = new groups.Workspaces(transport);
    this.keys = new groups.Keys(transport);
    this.session = new groups.Sessions(transport);
    this.usage = new groups.Usages(transport);
    this.audit = new groups.Audit(transport);
    this.requests = new groups.Requests(transport);
    this.events = new groups.Events(transport);
    this.webhooks = new groups.Webhooks(transport);
    this.admin = new groups.Admin(transport);
  }

  /** Sends any request, such as one of an operation that this version does not know: `request('GET', '/pets/7')`. */
  request<T = unknown>(
    method: string,
    path: string,
    { query, body, ...options }: AnyRequestOptions = {},
  ): Call<T> {
    // Fetch knows `get` and `post`, but not `patch`.
    return this.#transport.call({ method: method.toUpperCase(), path, query, body, options });
  }

  /** The limits of the plan as the last response showed them. */
  get rateLimit(): RateLimit | undefined {
    return this.#transport.rateLimit;
  }
}

// The package has one entry point, and this is it.
export { Call, type WithResponse } from './call.ts';
export * from './contract.ts';
export type { DetailsOf, ErrorCode, ErrorDetails, FieldFault } from './error-codes.ts';
export {
  type AnyErrorCode,
  AuthenticationError,
  type ClientErrorCode,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  PetstoreError,
  PreconditionError,
  RateLimitError,
  ServerError,
  SunsetError,
  TimeoutError,
} from './errors.ts';
export type {
  AnyRequestOptions,
  DeprecationEvent,
  DryRunOptions,
  PetstoreOptions,
  RequestEvent,
  RequestOptions,
  StreamOptions,
  WriteOptions,
} from './options.ts';
export { ListCall, type Page } from './page.ts';
export type { RateLimit, RateWindow } from './rate-limit.ts';
export { Transport } from './transport.ts';
export { type VerifyOptions, verifyWebhook, WebhookSignatureError } from './verify-webhook.ts';
