import { PetstoreError } from '../../errors.ts';
import type { Request, Transport } from '../../transport.ts';
import { confirm } from '../ask.ts';
import {
  type Arguments,
  type Terminal,
  UnknownOutcomeError,
  UsageError,
  WrongWords,
} from '../command.ts';
import { type Connection, connect } from '../connection.ts';
import { bodyOf } from '../json-input.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const WITHOUT_BODY = ['GET', 'DELETE'];

/** Any request: `petstore api get pets -f limit=2`. With -i the headers come first, as with curl. */
export async function api(args: Arguments, terminal: Terminal): Promise<void> {
  const { words, flags } = args;
  const method = (words[0] ?? '').toUpperCase();
  if (!METHODS.includes(method) || !words[1] || words.length !== 2) throw new WrongWords();
  const output = flags.get('output')?.[0] ?? 'json';
  if (output !== 'json' || flags.has('fields')) {
    throw new UsageError('api prints the JSON of the response: leave out -o and --fields');
  }
  const { path, query: typed } = targetOf(words[1]);
  const isPaginated = flags.has('paginate');
  if (isPaginated && method !== 'GET') throw new UsageError('--paginate is for GET alone');
  if (isPaginated && flags.has('include')) {
    throw new UsageError('give --paginate or --include, not both');
  }
  const { query, ...content } = await contentOf(method, args, terminal);
  const request: Request = {
    method,
    // A brace would begin the name of a parameter.
    path: path.replaceAll('{', '%7B'),
    query: { ...typed, ...query },
    options: { signal: terminal.signal },
    ...content,
  };
  if (method === 'DELETE') await confirm(`DELETE ${words[1]}?`, flags.has('yes'), terminal);
  const connection = connect(args, terminal, { isKeyNeeded: false });
  if (isPaginated) await printPages(connection.transport, request, terminal);
  else await printAnswer(connection, request, flags.has('include'), terminal);
}

/** The path below the base URL, which ends with /v1, however it was written; and its query, to which -f may add. */
function targetOf(target: string): { path: string; query: Record<string, string[]> } {
  if (/^\w+:\/\//.test(target)) {
    throw new UsageError(
      'PATH begins below the base URL, as in petstore api get pets; PETSTORE_BASE_URL or a profile sets that URL',
    );
  }
  // A # would end what is sent.
  const [bare = '', ...search] = target.replaceAll('#', '%23').split('?');
  // The request would leave the API.
  if (/(^|[/\\])(\.|%2e){1,2}([/\\]|$)/i.test(bare))
    throw new UsageError('PATH must not have . or ..');
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(search.join('?'))) {
    query[name] = [...(query[name] ?? []), value];
  }
  return { path: `/${bare.replace(/^\/*/, '')}`.replace(/^\/v1(?=\/|$)/, ''), query };
}

/** What -f and --data stand for: the query of a GET or a DELETE, the body of the others. */
async function contentOf(
  method: string,
  { flags }: Arguments,
  terminal: Terminal,
): Promise<Pick<Request, 'query' | 'body'>> {
  const data = flags.get('data')?.[0];
  const fields = fieldsOf(flags.get('field') ?? []);
  const hasFields = Object.keys(fields).length > 0;
  if (WITHOUT_BODY.includes(method)) {
    // Fetch would refuse it, which looks like a lost connection.
    if (data !== undefined) throw new UsageError(`${method} takes no --data`);
    return hasFields ? { query: fields } : {};
  }
  const body = data === undefined ? undefined : await bodyOf(data, terminal);
  if (!hasFields) return { body };
  if (Array.isArray(body)) throw new UsageError('-f adds to a JSON object, not to an array');
  return { body: { ...body, ...fields } };
}

/** `-f name=Rex -f categoryId=1`. A name that is given more than once is a list. */
function fieldsOf(pairs: readonly string[]): Record<string, unknown> {
  const fields = new Map<string, unknown[]>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`-f ${pair}: it is KEY=VALUE, for example -f name=Rex`);
    const name = pair.slice(0, at);
    fields.set(name, [...(fields.get(name) ?? []), typedValue(pair.slice(at + 1))]);
  }
  const entries = [...fields].map(([name, all]) => [name, all.length === 1 ? all[0] : all]);
  return Object.fromEntries(entries);
}

/** Numbers, true, false, null, objects, lists and texts in quotes are JSON; anything else is a text as it stands. */
function typedValue(text: string): unknown {
  if (!/^(-?(0|[1-9]\d{0,14})|true|false|null|[[{"].*)$/s.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function printAnswer(
  { transport, writes }: Connection,
  request: Request,
  isIncluded: boolean,
  { stdout }: Terminal,
): Promise<void> {
  const include = ({ status, headers }: Response) => {
    const lines = [...headers].map(([name, text]) => `${name}: ${text}\n`);
    if (isIncluded) stdout.write(`HTTP ${status}\n${lines.join('')}\n`);
  };
  const { data: value, response } = await transport
    .call<unknown>(request)
    .withResponse()
    .catch((err: unknown) => {
      if (err instanceof PetstoreError && err.response) include(err.response);
      throw writes.isUnknown ? new UnknownOutcomeError(err, undefined) : err;
    });
  include(response);
  if (value !== undefined) stdout.write(`${JSON.stringify(value)}\n`);
}

/** All pages of a list as one array, written as they come. */
async function printPages(
  transport: Transport,
  request: Request,
  { stdout }: Terminal,
): Promise<void> {
  const list = transport.list<unknown>(request);
  let separator = '[';
  for await (const { items } of list.pages()) {
    for (const item of items) {
      stdout.write(`${separator}${JSON.stringify(item)}`);
      separator = ',';
    }
  }
  stdout.write(separator === '[' ? '[]\n' : ']\n');
}
