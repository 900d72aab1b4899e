import {
  AuthenticationError,
  ConnectionError,
  PermissionError,
  PetstoreError,
  RateLimitError,
  ServerError,
} from '../errors.ts';
import {
  DeclinedError,
  InvalidKeyError,
  LostSecretError,
  MissingKeyError,
  profileOption,
  RefusedRowsError,
  SettingsError,
  type Terminal,
  UnknownOutcomeError,
  UsageError,
} from './command.ts';
import { reasonCode } from './unknown-outcome.ts';

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;
const EXIT_KEY = 4;
const EXIT_LIMITED = 5;
const EXIT_UNREACHABLE = 6;
const EXIT_SETTINGS = 78;
const EXIT_INTERRUPTED = 130;

interface Failure {
  exitCode: number;
  /** Under --json, the Error object of the service, or `{code, message}` where there was no response. */
  error: { code: string; message: string };
  /** What else a person needs to know. */
  note: string;
  /** The request to look up, if the service keeps it. */
  requestId?: string | undefined;
}

/** The exit code is that of the signal. Ctrl-C at a prompt is none. */
function interruption({ reason }: AbortSignal): Failure {
  const { exitCode = EXIT_INTERRUPTED } = (reason ?? {}) as Partial<Failure>;
  return { exitCode, error: { code: 'interrupted', message: 'Interrupted.' }, note: '' };
}

/** Writes why a command failed to standard error, and returns the exit code. */
export function explain(thrown: unknown, args: readonly string[], terminal: Terminal): number {
  const { stderr, signal } = terminal;
  const unknown = thrown instanceof UnknownOutcomeError ? thrown : undefined;
  const err = unknown ? unknown.cause : thrown;
  // At a prompt the terminal sends no SIGINT for Ctrl-C, and the prompt throws an AbortError.
  const isPromptAborted = err instanceof Error && err.name === 'AbortError';
  const interrupted = signal.aborted || isPromptAborted ? interruption(signal) : undefined;
  if (interrupted && !unknown) return interrupted.exitCode;
  const failure = interrupted ?? failureOf(err);
  if (!failure) throw err;
  const { error, note, exitCode, requestId } = failure;
  const idempotencyKey = unknown?.idempotencyKey;
  // A response may come from anywhere, and its characters would control the terminal.
  const text = `${error.message}${note}`.replace(/\p{Cc}+/gu, ' ');
  if (wantsJson(args)) stderr.write(`${JSON.stringify({ ...error, idempotencyKey })}\n`);
  else {
    stderr.write(`petstore: ${text}\n`);
    if (unknown) stderr.write(`petstore: ${repeatText(idempotencyKey)}\n`);
    if (requestId) {
      const profile = profileOption(profileIn(args));
      stderr.write(`petstore: look it up with petstore requests get ${requestId}${profile}\n`);
    }
  }
  return exitCode;
}

function repeatText(idempotencyKey: string | undefined): string {
  const remedy =
    idempotencyKey === undefined
      ? 'look before you run it again'
      : `run it again with --idempotency-key ${idempotencyKey}, and it is done once`;
  return `whether it was done is unknown: ${remedy}`;
}

/** The arguments may be those that could not be parsed. */
function wantsJson(args: readonly string[]): boolean {
  return args.some((arg, at) => {
    const isOutput = /^(-o|--output)$/.test(args[at - 1] ?? '');
    return (
      arg === '--json' ||
      /^(-o|--output)=(nd)?json$/.test(arg) ||
      (isOutput && /^(nd)?json$/.test(arg))
    );
  });
}

/** The profile that is named: the request is among those of its service. */
function profileIn(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => /^--profile(=|$)/.test(arg));
  return at < 0 ? undefined : (/=(.*)/s.exec(args[at]!)?.[1] ?? args[at + 1]);
}

function failureOf(err: unknown): Failure | undefined {
  if (err instanceof PetstoreError) return refusalOf(err);
  if (!(err instanceof Error)) return undefined;
  const { message } = err;
  const of = (exitCode: number, code: string) => ({
    exitCode,
    error: { code, message },
    note: '',
  });
  if (err instanceof UsageError) return of(EXIT_USAGE, 'usage');
  if (err instanceof MissingKeyError) return of(EXIT_KEY, 'no_key');
  if (err instanceof InvalidKeyError) return of(EXIT_KEY, 'invalid_api_key');
  if (err instanceof DeclinedError) return of(EXIT_REFUSED, 'declined');
  if (err instanceof RefusedRowsError) return of(EXIT_REFUSED, 'rows_refused');
  if (err instanceof LostSecretError) return of(EXIT_REFUSED, 'secret_lost');
  if (err instanceof SettingsError) return of(EXIT_SETTINGS, 'settings');
  return undefined;
}

function refusalOf(err: PetstoreError): Failure {
  const { code, message, status, requestId, details, response } = err;
  const exitCode = exitCodeOf(err);
  if (err instanceof ConnectionError) {
    return { exitCode, error: { code: 'unreachable', message }, note: ` ${remedyOf(err)}` };
  }
  const facts = { code, message, status, requestId, ...(details ? { details } : {}) };
  const body = err.body as { code?: string } | undefined;
  const error = body?.code === code ? (body as Failure['error']) : facts;
  if (code === 'unexpected_answer') {
    const isProxy = status >= 502 && status <= 504;
    const remedy = isProxy ? 'The service behind it is down or restarts.' : 'Check the URL.';
    return { exitCode, error, note: ` ${remedy}` };
  }
  const note = ` (${code}${requestId ? `, request ${requestId}` : ''})`;
  // A list that lacks the record was read, and such reads are not kept.
  const isRefused = response?.status === status;
  // Without a valid key there is no workspace whose requests it is among. An id from elsewhere may be no word of a shell.
  const isKept = isRefused && status !== 401 && /^[\w.:-]+$/.test(requestId ?? '');
  return { exitCode, error, note, requestId: isKept ? requestId : undefined };
}

/** By the code of the failure. */
const remedies: readonly [code: RegExp, remedy: string][] = [
  [/^ERR_SSL_(WRONG_V|PACKET_L)/, 'It does not speak TLS: begin the URL with http://.'],
  [/^unexpected redirect/, 'Use the URL that it redirects to, which may begin with https://.'],
  [
    /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/,
    'If you trust who signed its certificate, set NODE_EXTRA_CA_CERTS to the file of theirs.',
  ],
];

function remedyOf({ cause }: ConnectionError): string {
  const code = reasonCode(cause);
  const remedy = remedies.find(([codes]) => codes.test(code))?.[1];
  return remedy ?? 'Check the URL, and that the service is running there.';
}

function exitCodeOf(err: PetstoreError): number {
  if (err instanceof AuthenticationError || err instanceof PermissionError) return EXIT_KEY;
  if (err instanceof RateLimitError) return EXIT_LIMITED;
  if (err instanceof ConnectionError || err instanceof ServerError) return EXIT_UNREACHABLE;
  // Another status is a success of something else than the service.
  return err.status >= 400 ? EXIT_REFUSED : EXIT_UNREACHABLE;
}
