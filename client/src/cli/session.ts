import type { PetstoreOptions } from '../transport.ts';
import { Transport } from '../transport.ts';
import type { Arguments, Terminal } from './command.ts';
import { type Credentials, credentialsOf } from './profiles.ts';

/** What a command needs to talk to the service. */
export interface Session {
  transport: Transport;
  credentials: Credentials;
}

const WAIT_MAX_MS = 3_600_000;

export function openSession({ flags }: Arguments, terminal: Terminal): Session {
  const credentials = credentialsOf(terminal.env, flags.get('profile')?.[0]);
  const isVerbose = flags.has('verbose');
  const say = (line: string) => terminal.stderr.write(`petstore: ${line}\n`);
  const options: PetstoreOptions = {
    apiKey: credentials.apiKey ?? '',
    baseUrl: credentials.baseUrl,
    ...(flags.has('no-retry') ? { maxRetries: 0, maxWaitMs: 0 } : { maxWaitMs: WAIT_MAX_MS }),
    onRequest: ({ method, url, attempt }) => {
      if (attempt > 0) say(`trying again (${attempt})`);
      if (isVerbose) say(`${method} ${url}`);
    },
    onDeprecated: ({ operation, sunset }) => {
      say(`${operation} is deprecated and is switched off on ${sunset}`);
    },
  };
  return { transport: new Transport(options), credentials };
}
