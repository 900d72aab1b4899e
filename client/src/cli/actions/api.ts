import { PetstoreError } from '../../errors.ts';
import type { Request } from '../../transport.ts';
import { confirm } from '../ask.ts';
import { type Arguments, type Terminal, UsageError, WrongWords } from '../command.ts';
import { connect } from '../connection.ts';
import { bodyOf } from '../json-input.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Any request: `petstore api GET /pets?limit=2`. With -i the headers come first, as with curl. */
export async function api(args: Arguments, terminal: Terminal): Promise<void> {
  const { words, flags } = args;
  const [method = '', target = ''] = words;
  if (!METHODS.includes(method) || !target.startsWith('/') || words.length !== 2) {
    throw new WrongWords();
  }
  const data = flags.get('data')?.[0];
  // Fetch would refuse it, which looks like a lost connection.
  if (method === 'GET' && data !== undefined) throw new UsageError('GET takes no --data');
  if (method === 'DELETE') await confirm(`DELETE ${target}?`, flags.has('yes'), terminal);
  const body = data === undefined ? undefined : await bodyOf(data, terminal);
  const request: Request = {
    method,
    // A brace would begin the name of a parameter.
    path: target.replaceAll('{', '%7B'),
    body,
    options: { signal: terminal.signal },
  };
  const include = ({ status, headers }: Response) => {
    const lines = [...headers].map(([name, text]) => `${name}: ${text}\n`);
    if (flags.has('include')) terminal.stdout.write(`HTTP ${status}\n${lines.join('')}\n`);
  };
  const { data: value, response } = await connect(args, terminal, { isKeyNeeded: false })
    .transport.call<unknown>(request)
    .withResponse()
    .catch((err: unknown) => {
      if (err instanceof PetstoreError && err.response) include(err.response);
      throw err;
    });
  include(response);
  if (value !== undefined) terminal.stdout.write(`${JSON.stringify(value)}\n`);
}
