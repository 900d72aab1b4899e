import type { DetailsOf, ErrorCode } from './error-codes.ts';

/** The codes that the client gives where the service gave none. */
export type ClientErrorCode = 'unexpected_answer' | 'connection_failed' | 'timeout';
/** A newer service may send a code that this list lacks. */
export type AnyErrorCode = ErrorCode | ClientErrorCode | (string & {});

/** What an error object of the API says, and where it came from. */
export interface ErrorFacts {
  code: AnyErrorCode;
  message: string;
  status: number;
  requestId?: string | undefined;
  details?: unknown;
  body?: unknown;
  response?: Response;
  cause?: unknown;
}

/** Every failure of a call. `code` is for programs, `message` is for people. */
export class PetstoreError extends Error {
  // A minifier renames classes.
  override name = 'PetstoreError';
  declare readonly code: AnyErrorCode;
  /** The HTTP status; 0 when there was no response. */
  declare readonly status: number;
  /** Quote it when you ask about a request. Absent when there was no response. */
  declare readonly requestId: string | undefined;
  /** The facts, which differ from code to code: `is` tells their type. */
  declare readonly details: unknown;
  /** The whole response: what its JSON holds, else its text. Absent when there was none. */
  declare readonly body: unknown;
  declare readonly response: Response | undefined;

  constructor({ message, response, ...facts }: ErrorFacts) {
    super(message, facts);
    Object.assign(this, facts);
    // Not enumerable: a console prints what is, with all that is inside.
    Object.defineProperty(this, 'response', { value: response });
  }

  /** Whether this is the error with the code. Then `details` has the type of the code. */
  is<C extends ErrorCode | ClientErrorCode>(
    code: C,
  ): this is this & { readonly code: C; readonly details: DetailsOf<C> } {
    return this.code === code;
  }

  toJSON(): object {
    return { ...this, message: this.message, body: undefined };
  }
}

export class InvalidRequestError extends PetstoreError {
  override name = 'InvalidRequestError';
}
export class AuthenticationError extends PetstoreError {
  override name = 'AuthenticationError';
}
export class PermissionError extends PetstoreError {
  override name = 'PermissionError';
}
export class NotFoundError extends PetstoreError {
  override name = 'NotFoundError';
}
export class ConflictError extends PetstoreError {
  override name = 'ConflictError';
}
export class SunsetError extends PetstoreError {
  override name = 'SunsetError';
}
export class PreconditionError extends PetstoreError {
  override name = 'PreconditionError';
}
export class ServerError extends PetstoreError {
  override name = 'ServerError';
}
/** No response arrived. */
export class ConnectionError extends PetstoreError {
  override name = 'ConnectionError';
}
/** No response arrived within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}

export class RateLimitError extends PetstoreError {
  override name = 'RateLimitError';
  declare readonly retryAfterSeconds: number;
  /** Which limit refused: `minute`, `day` or `ban`. */
  declare readonly limit: string | undefined;
  declare readonly refusalsBeforeBan: number | undefined;
  /** Whether the client refused by itself and sent nothing. */
  declare readonly isLocal: boolean;

  constructor(facts: ErrorFacts & { retryAfterSeconds?: number; isLocal?: boolean }) {
    const { details, response } = facts;
    const { limit, refusalsBeforeBan } = (details ?? {}) as Record<string, unknown>;
    const retryAfterSeconds = Math.ceil((retryAfterMs(response) ?? 0) / 1000);
    super({ isLocal: false, limit, refusalsBeforeBan, retryAfterSeconds, ...facts } as ErrorFacts);
  }
}

const classes: Record<number, new (facts: ErrorFacts) => PetstoreError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: SunsetError,
  412: PreconditionError,
  422: ConflictError,
  429: RateLimitError,
};

/** The error that a response stands for which is no success of the API. */
export function errorOf(response: Response, text: string): PetstoreError {
  const { status, headers, url } = response;
  const found = jsonObject(text) as Partial<ErrorFacts> | null;
  const {
    code = 'unexpected_answer',
    message = `What answered${url && ` at ${url.split('?')[0]}`} does not look like the Pet Store API: HTTP ${status}: ${text.slice(0, 200)}`,
    requestId = headers.get('x-request-id') ?? undefined,
    details,
  } = typeof found?.code === 'string' ? found : {};
  const ErrorClass = classes[status] ?? (status >= 500 ? ServerError : PetstoreError);
  const body = found ?? text;
  return new ErrorClass({ code, message, status, requestId, details, body, response });
}

/** Why fetch failed, to continue a message with. Browsers do not tell. */
export function reasonOf(err: unknown): string {
  const source = (err as Error | null)?.cause as
    | (NodeJS.ErrnoException & { reason?: string })
    | undefined;
  // The message of a TLS error has lines of C in it, and its reason is a sentence.
  const reason = source?.reason || source?.message || source?.code;
  return reason ? `: ${reason}` : '';
}

/** Retry-After in milliseconds from now; it is a number of seconds or a date. */
export function retryAfterMs(response: Response | undefined): number | undefined {
  const value = response?.headers.get('retry-after');
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The object, or the array of objects, that the text is in JSON; null if it is neither. */
export function jsonObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return [value].flat().every((each) => each && typeof each === 'object')
      ? (value as object)
      : null;
  } catch {
    return null;
  }
}
