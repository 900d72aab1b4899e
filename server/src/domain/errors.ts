import type { ErrorDetails } from './errors/error-details.ts';
import { type ErrorEntry, table } from './errors/error-table.ts';

export type { FieldFault } from './errors/error-details.ts';

export type ErrorCode = keyof typeof table;
export const errorTable: Record<ErrorCode, ErrorEntry> = table;
export const errorCodes = Object.keys(table) as ErrorCode[];
/** Codes that ErrorDetails does not name have details that no program should need. */
type OtherDetails = Readonly<Record<string, unknown>> | undefined;
type DetailsOf<C> = C extends keyof ErrorDetails ? ErrorDetails[C] : OtherDetails;
type RefusalOptions<C extends ErrorCode> = Partial<Omit<Refusal<C>, 'name' | 'code' | 'status'>>;

const SHOWN_MAX = 200;

/** Thrown when a request is refused for a reason that the client should know. Any other error becomes a 500. */
export class Refusal<C extends ErrorCode = ErrorCode> implements Error {
  readonly name = 'Refusal';
  readonly code: C;
  readonly message: string;
  readonly details: DetailsOf<C> | undefined;
  /** When it is worth trying again, where that is known. */
  readonly retryAfterSeconds: number | undefined;
  /** The cap that refused, if it is one of its own beside the plan. */
  readonly perMinute: number | undefined;

  constructor(code: C, options: RefusalOptions<C> = {}) {
    this.code = code;
    this.message = options.message ?? errorTable[code].message;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.perMinute = options.perMinute;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

// A Refusal is an Error to `instanceof`, but has no stack, which is expensive.
Object.setPrototypeOf(Refusal.prototype, Error.prototype);

/** A 404 that names the record. A foreign record is reported like one that never existed. */
export function notFound(noun: string, id: number | string): Refusal {
  return new Refusal('not_found', { message: `No ${noun} ${id} in this workspace.` });
}

/** A 404 for the operator, who sees all workspaces. */
export const notFoundAnywhere = (noun: string, id: number | string): Refusal =>
  new Refusal('not_found', { message: `No ${noun} ${id}.` });
/** The request log keeps no successful reads, and each node writes its rows every few seconds. */
export function noRequest(id: string, workspace?: 'in this workspace'): Refusal {
  const where = workspace ? ` ${workspace}` : '';
  return new Refusal('not_found', {
    message: `No request ${id}${where}. Successful reads are not kept, and a request of another node is found within 5 seconds.`,
  });
}
export const noWorkspace = (id: number): Refusal => notFoundAnywhere('workspace', id);
/** A name or a text of a client, cut: an error is not longer than what it is about. */
export function shownText(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX).toWellFormed()}…` : text;
}

/** A 400 that names one field. The message continues the field name: "must be …". */
export function invalidField(name: string, message: string): Refusal {
  const field = shownText(name);
  const details = [{ field, message }];
  return new Refusal('invalid_request', { message: `${field} ${message}.`, details });
}
