/** What an error object of the API says, and where it came from. */
export interface ErrorFacts {
  code: string;
  message: string;
  status: number;
  requestId: string;
  details?: unknown;
  response?: Response;
  cause?: unknown;
}

/** Every failure of a call. `code` is for programs, `message` is for people. */
export class PetstoreError extends Error {
  readonly code: string;
  /** The HTTP status; 0 when there was no response. */
  readonly status: number;
  readonly requestId: string;
  // biome-ignore lint/suspicious/noExplicitAny: the facts of a conflict differ from code to code.
  readonly details: any;
  readonly response: Response | undefined;

  constructor({ code, message, status, requestId, details, response, cause }: ErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.details = details;
    this.response = response;
  }

  toJSON(): object {
    const { name, code, message, status, requestId, details } = this;
    return { name, code, message, status, requestId, details };
  }
}

export class InvalidRequestError extends PetstoreError {}
export class AuthenticationError extends PetstoreError {}
export class PermissionError extends PetstoreError {}
export class NotFoundError extends PetstoreError {}
export class ConflictError extends PetstoreError {}
export class SunsetError extends PetstoreError {}
export class PreconditionError extends PetstoreError {}
export class ServerError extends PetstoreError {}
/** No response arrived. */
export class ConnectionError extends PetstoreError {}
/** No response arrived within `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

export class RateLimitError extends PetstoreError {
  readonly retryAfterSeconds: number;
  /** Which limit refused: `minute`, `day` or `ban`. */
  readonly limit: string | undefined;
  readonly refusalsBeforeBan: number | undefined;
  /** Whether the client refused by itself and sent nothing. */
  readonly isLocal: boolean;

  constructor(facts: ErrorFacts & { retryAfterSeconds: number; isLocal?: boolean }) {
    super(facts);
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.limit = this.details?.limit;
    this.refusalsBeforeBan = this.details?.refusalsBeforeBan;
    this.isLocal = facts.isLocal === true;
  }
}

const classes: Record<number, typeof PetstoreError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: SunsetError,
  412: PreconditionError,
  422: ConflictError,
};
const EXCERPT_LENGTH = 200;

/** The error that a response with an error status stands for. */
export function errorOf(response: Response, text: string, sentRequestId: string): PetstoreError {
  const { status, headers } = response;
  const body = errorObject(text);
  const facts: ErrorFacts = {
    code: body?.code ?? 'unexpected_answer',
    message: body?.message ?? `HTTP ${status}: ${text.slice(0, EXCERPT_LENGTH)}`,
    status,
    requestId: body?.requestId ?? headers.get('x-request-id') ?? sentRequestId,
    details: body?.details,
    response,
  };
  if (status === 429) {
    const retryAfterSeconds = Math.ceil((retryAfterMs(headers) ?? 0) / 1000);
    return new RateLimitError({ ...facts, retryAfterSeconds });
  }
  const ErrorClass = classes[status] ?? (status >= 500 ? ServerError : PetstoreError);
  return new ErrorClass(facts);
}

/** Retry-After in milliseconds from now; it is a number of seconds or a date. */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function errorObject(text: string): ErrorFacts | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isError = typeof value === 'object' && value !== null && 'code' in value;
    return isError && typeof value.code === 'string' ? (value as ErrorFacts) : undefined;
  } catch {
    return undefined;
  }
}
