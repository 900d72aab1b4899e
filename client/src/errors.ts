/** What an error object of the API says, and where it came from. */
export interface ErrorFacts {
  code: string;
  message: string;
  status: number;
  requestId?: string | undefined;
  details?: unknown;
  response?: Response;
  cause?: unknown;
}

/** Every failure of a call. `code` is for programs, `message` is for people. */
export class PetstoreError extends Error {
  declare readonly code: string;
  /** The HTTP status; 0 when there was no response. */
  declare readonly status: number;
  /** Quote it when you ask about a request. Absent when there was no response. */
  declare readonly requestId: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the facts of a conflict differ from code to code.
  declare readonly details: any;
  declare readonly response: Response | undefined;

  constructor({ message, ...facts }: ErrorFacts) {
    super(message, facts);
    this.name = new.target.name;
    Object.assign(this, facts);
  }

  toJSON(): object {
    return { ...this, message: this.message, response: undefined };
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

/** The error that a response with an error status stands for. */
export function errorOf(response: Response, text: string): PetstoreError {
  const { status, headers } = response;
  const found = jsonObject(text) as Partial<ErrorFacts> | null;
  const {
    code = 'unexpected_answer',
    message = `HTTP ${status}: ${text.slice(0, 200)}`,
    requestId = headers.get('x-request-id') ?? undefined,
    details,
  } = typeof found?.code === 'string' ? found : {};
  const ErrorClass = classes[status] ?? (status >= 500 ? ServerError : PetstoreError);
  return new ErrorClass({ code, message, status, requestId, details, response });
}

/** Why fetch failed, to continue a message with. Browsers do not tell. */
export function reasonOf(err: unknown): string {
  const source = (err as Error | null)?.cause as NodeJS.ErrnoException | undefined;
  const reason = source?.message || source?.code;
  return reason ? `: ${reason}` : '';
}

/** Retry-After in milliseconds from now; it is a number of seconds or a date. */
export function retryAfterMs(response: Response | undefined): number | undefined {
  const value = response?.headers.get('retry-after');
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The object or array that the text is in JSON; null if it is neither. */
export function jsonObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
