// For hosts of agents that start a process and speak with it over its standard streams: each line is one message, which is
// sent to /mcp with the key of the profile, and the reply is one line again.

import { addAbortSignal } from 'node:stream';
import { reasonOf } from '../../errors.ts';
import { DEFAULT_URL } from '../../transport.ts';
import { type Arguments, MissingKeyError, type Terminal, UsageError } from '../command.ts';
import { credentialsOf } from '../profiles.ts';

type Json = Record<string, unknown>;

const NO_RESPONSE = -32_000;
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

export async function mcp({ flags }: Arguments, terminal: Terminal): Promise<void> {
  const { stdin, stdout, stderr, signal, env } = terminal;
  const { apiKey, baseUrl } = credentialsOf(env, flags.get('profile')?.[0]);
  if (!apiKey) throw new MissingKeyError();
  const send = sender(endpointOf(baseUrl ?? DEFAULT_URL, flags), apiKey, signal);
  const running = new Set<Promise<void>>();
  for await (const line of linesOf(addAbortSignal(signal, stdin))) {
    if (line.trim() === '') continue;
    const answered = send(line)
      .then((reply) => void (reply && stdout.write(`${reply}\n`)))
      .catch((err: Error) => void stderr.write(`petstore: ${err.message}\n`))
      .finally(() => running.delete(answered));
    running.add(answered);
  }
  await Promise.all(running);
}

/** Splits on line feeds alone. Readline also splits on U+2028 and U+2029, which JSON may contain. */
async function* linesOf(stdin: Terminal['stdin']): AsyncGenerator<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin as AsyncIterable<string>) {
    const lines = `${text}${chunk}`.split('\n');
    text = lines.pop()!;
    yield* lines;
  }
  yield text;
}

/** Prints the settings of a host. They hold no key: the process reads it from the profile. */
export function mcpConfig({ flags }: Arguments, { stdout }: Terminal): void {
  const [host = ''] = flags.get('for') ?? [];
  const settings = Object.hasOwn(hosts, host) ? hosts[host] : undefined;
  if (!settings) throw new UsageError(`--for needs one of ${Object.keys(hosts).join(', ')}`);
  const args = ['mcp'];
  if (flags.has('read-only')) args.push('--read-only');
  for (const name of ['tools', 'profile']) {
    const value = flags.get(name)?.join(',');
    if (value !== undefined) args.push(`--${name}`, value);
  }
  stdout.write(`${JSON.stringify(settings({ command: 'petstore', args }), null, 2)}\n`);
}

const mcpServers = (petstore: Json): Json => ({ mcpServers: { petstore } });
const hosts: Record<string, (server: Json) => Json> = {
  claude: mcpServers,
  cursor: mcpServers,
  vscode: (server) => ({ servers: { petstore: { type: 'stdio', ...server } } }),
};

/** The URL of /mcp beside the API, with the tools that were asked for. */
function endpointOf(baseUrl: string, flags: Arguments['flags']): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/mcp`);
  const tools = flags.get('tools')?.join(',');
  if (tools !== undefined) url.searchParams.set('tools', tools);
  if (flags.has('read-only')) url.searchParams.set('readonly', 'true');
  return url.href;
}

/** Sends one message and returns the reply, if it has one. What is no reply becomes the error of its request. */
function sender(url: string, apiKey: string, signal: AbortSignal) {
  return async (line: string): Promise<string | undefined> => {
    const message = parsed(line);
    const fail = (text: string, data?: unknown): string => {
      if (message?.id === undefined) throw new Error(text);
      const error = { code: NO_RESPONSE, message: text, ...(data ? { data } : {}) };
      return JSON.stringify({ jsonrpc: '2.0', id: message.id, error });
    };
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json',
      ...revisionHeaders(message),
    };
    // A redirect would take the message to a server that was not named.
    const init = { method: 'POST', redirect: 'error', headers, body: line, signal } as const;
    const response = await fetch(url, init).catch((err: Error) => err);
    const { origin } = new URL(url);
    if (response instanceof Error) {
      // A message that no header can carry was not sent.
      const isSent = response.cause !== undefined;
      return fail(isSent ? `${origin} cannot be reached${reasonOf(response)}.` : response.message);
    }
    const text = await response.text().catch(() => undefined);
    if (text === undefined) return fail(`The response of ${origin} broke off.`);
    if (text === '' && response.ok) return undefined;
    const body = parsed(text);
    if (body?.jsonrpc === '2.0') {
      // The service has not read the id of a message that it refused as a whole, and the host waits for it.
      const isIdMissing = body.id === null && message?.id !== undefined;
      return JSON.stringify(isIdMissing ? { ...body, id: message.id } : body);
    }
    const wait = response.headers.get('retry-after');
    const advice = wait === null ? '' : ` Try again in ${wait} s.`;
    return fail(`${body?.message ?? `The service answered ${response.status}.`}${advice}`, body);
  };
}

/** What requests of the current revision repeat in their headers. */
function revisionHeaders(message: Json | undefined): Record<string, string> {
  const params = (message?.params ?? {}) as Json;
  const version = ((params._meta ?? {}) as Json)[VERSION_KEY];
  if (typeof version !== 'string') return {};
  return {
    'mcp-protocol-version': version,
    'mcp-method': String(message!.method),
    ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
  };
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
