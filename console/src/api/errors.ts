import { PetstoreError, RateLimitError } from '@petstore/client';
import { controlWords as words } from '../words/controls.ts';
import { errorWords, inLines } from '../words/errors.ts';

// Only this folder imports the client; screens tell its errors apart by these.
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  PreconditionError,
  RateLimitError,
  SunsetError,
} from '@petstore/client';

/** What an error means, in the console's words; the service's own message if it has none for the code. */
export function errorText(err: unknown): string {
  if (!(err instanceof PetstoreError)) return err instanceof Error ? err.message : String(err);
  if (err instanceof RateLimitError && err.code !== 'key_banned') {
    return words.refused(err.retryAfterSeconds);
  }
  return refusalText(err);
}

/**
 * What a refusal means; the service's own message if it is in words that a user of the console knows. Of a batch, it names
 * the lines.
 */
export function refusalText({ code, details, message }: Refusal): string {
  const facts = (details ?? {}) as Record<string, unknown>;
  const gone = /names no (pet|category)/.exec(message)?.[1];
  const text = gone ? errorWords.not_found!({ gone }) : (errorWords[code]?.(facts) ?? message);
  const lines = Array.isArray(details)
    ? details.flatMap(({ field }) => /^orders\.(\d+)\.petId$/.exec(field)?.[1] ?? [])
    : [facts.index ?? []].flat();
  return lines.length > 0 ? inLines(lines.map(Number), text) : text;
}

interface Refusal {
  code: string;
  details?: unknown;
  message: string;
}

export function requestIdOf(err: unknown): string | undefined {
  return err instanceof PetstoreError && err.requestId !== '' ? err.requestId : undefined;
}

/** The message for each field of the body that the service rejected. */
export function fieldErrors(err: unknown): Record<string, string> {
  const details: unknown = err instanceof PetstoreError ? err.details : undefined;
  const list = Array.isArray(details)
    ? details
    : (details as { errors?: unknown } | undefined)?.errors;
  if (!Array.isArray(list)) return {};
  return Object.fromEntries(
    list.flatMap((each) =>
      typeof each?.field === 'string'
        ? [[each.field.replace(/^(body|orders\.\d+)\./, ''), refusalText({ ...each, code: '' })]]
        : [],
    ),
  );
}
