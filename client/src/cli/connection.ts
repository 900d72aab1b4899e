import { ConnectionError, errorOf, PetstoreError, reasonOf } from '../errors.ts';
import type { PetstoreOptions } from '../options.ts';
import { DEFAULT_URL, Transport } from '../transport.ts';
import { type Arguments, MissingKeyError, type Terminal } from './command.ts';
import { note } from './output.ts';
import { type Credentials, credentialsOf } from './profiles.ts';
import { Writes } from './unknown-outcome.ts';

/** What a command needs to talk to the service. */
export interface Connection {
  transport: Transport;
  credentials: Credentials;
  writes: Writes;
}

interface ConnectOptions {
  isKeyNeeded?: boolean;
}

const WAIT_MAX_MS = 3_600_000;

export function connect(
  args: Arguments,
  terminal: Terminal,
  { isKeyNeeded = true }: ConnectOptions = {},
): Connection {
  const { flags } = args;
  const named = flags.get('profile')?.[0];
  const credentials = credentialsOf(terminal.env, named);
  if (isKeyNeeded && !credentials.apiKey) throw new MissingKeyError();
  const isVerbose = flags.has('verbose');
  const say = (line: string) => note(line, args, terminal);
  if (named !== undefined && credentials.source !== `profile ${named}`) {
    say(`${credentials.source} is set and overrides the profile ${named}`);
  }
  const baseUrl = credentials.baseUrl ?? DEFAULT_URL;
  const writes = new Writes();
  const options: PetstoreOptions = {
    apiKey: credentials.apiKey ?? '',
    baseUrl: credentials.baseUrl,
    fetch: fetchFromService,
    ...(flags.has('no-retry')
      ? { maxRetries: 0, maxWaitMs: 0, onWait: endStream }
      : { maxWaitMs: WAIT_MAX_MS, onWait: waitReporter(say, baseUrl) }),
    onRequest: (event) => {
      writes.note(event);
      const { method, path, error, requestId, durationMs } = event;
      const status = event.status ?? (error instanceof PetstoreError && error.status);
      const request = requestId ? `, request ${requestId}` : '';
      const outcome = status ? `${status}${request}` : 'no response';
      const line = `petstore: ${method} ${path} ${outcome}, ${durationMs} ms\n`;
      if (isVerbose) terminal.stderr.write(line);
    },
    onDeprecated: ({ operation, sunset }) => {
      say(`${operation} is deprecated and is switched off on ${sunset}`);
    },
  };
  return { transport: new Transport(options), credentials, writes };
}

/** All responses of the service say its version. Whatever succeeds without it is a success of something else. */
export async function fetchFromService(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (!response.ok || response.headers.has('x-api-version')) return response;
  await response.body?.cancel();
  throw errorOf(response, 'it lacks the header X-API-Version.');
}

/** Ends a stream that would try again. What is thrown here ends it. */
function endStream(_ms: number, error?: unknown): void {
  if (error instanceof PetstoreError) throw error;
  const message = 'The service closed the stream.';
  if (error !== undefined) throw new ConnectionError({ code: 'closed', message, status: 0 });
}

/** Reports a wait of a second or more once, however many calls share it. A stream says itself when to report. */
function waitReporter(say: (line: string) => void, baseUrl: string) {
  let until = 0;
  return (ms: number, error?: unknown) => {
    const seconds = Math.ceil(ms / 1_000);
    if (error !== undefined) {
      const isAnswered = error instanceof PetstoreError && error.status > 0;
      const what = isAnswered
        ? `${baseUrl} answered with ${error.status}`
        : `no connection to ${baseUrl}${reasonOf((error as Error).cause)}`;
      say(`${what}; trying again every ${seconds} s`);
      return;
    }
    const end = Date.now() + ms;
    if (ms < 1_000 || end - until < 1_000) return;
    until = end;
    say(`waiting ${seconds} s before the next request; --no-retry turns this off`);
  };
}
