import { Events, type StreamEventsQuery } from '../../contract.ts';
import { type Arguments, profileOption, shellWord, type Terminal, UsageError } from '../command.ts';
import { connect } from '../connection.ts';
import { note } from '../output.ts';
import { forwardTo, listenSecret } from './forward.ts';
import { lineWriter } from './line-writer.ts';

const COLUMNS = ['id', 'timestamp', 'type', 'keyId', 'data'];

/** Prints events as they happen, and sends each to a URL as a webhook would. */
export async function listen(args: Arguments, terminal: Terminal): Promise<void> {
  const { flags } = args;
  const url = targetOf(flags.get('forward-to')?.[0]);
  const write = lineWriter(COLUMNS, args, terminal);
  const { transport, credentials } = connect(args, terminal);
  const secret = listenSecret(credentials.apiKey!);
  if (flags.has('print-secret')) {
    terminal.stdout.write(`${secret}\n`);
    return;
  }
  const { signal, stderr } = terminal;
  const say = (line: string) => stderr.write(`petstore: ${line}\n`);
  const events = new Events(transport);
  const type = flags.get('events')?.flatMap((list) => list.split(','));
  const after = flags.get('from')?.[0] ?? (await endOfFeed(events, signal));
  const query = { after, ...(type && { type }) } as StreamEventsQuery;
  const profile = profileOption(flags.get('profile')?.[0]);
  const forward = url && forwardTo({ url, secret, command: commandOf(url, args), signal, say });
  const target = url
    ? `, forwarding to ${url}; petstore listen --print-secret${profile} shows the secret`
    : '';
  let isSaid = false;
  // A type or a cursor that the service refuses is not listened to.
  const onOpen = () => {
    if (!isSaid) note(`listening after ${after}${target}`, args, terminal);
    isSaid = true;
  };
  let last = after;
  for await (const event of events.stream(query, { signal, onOpen })) {
    if (forward) await forward(event, last);
    write(event);
    last = event.id;
  }
}

/** This command, without the cursor that it started from. */
export function commandOf(url: string, { flags }: Arguments): string {
  const types = flags.get('events')?.map((list) => ` --events ${shellWord(list)}`) ?? [];
  const profile = profileOption(flags.get('profile')?.[0]);
  return `petstore listen --forward-to ${shellWord(url)}${types.join('')}${profile}`;
}

/** The cursor after the newest event. Nothing that happens after this call is missed. */
async function endOfFeed(events: Events, signal: AbortSignal): Promise<string> {
  const list = events.list({ after: 'latest', limit: 1 }, { signal });
  const { response } = await list.withResponse();
  return response.headers.get('events-cursor') ?? 'latest';
}

/** Where to forward: a URL, `localhost:3000/hooks`, or the port of a service on this machine. */
function targetOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const full = /^\d+$/.test(text) ? `localhost:${text}` : text;
  const written = /^[a-z][a-z\d+.-]*:\/\//i.test(full) ? full : `http://${full}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isHttp || url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new UsageError(
      '--forward-to must be an http or https URL without a password or #, such as http://localhost:3000/hooks',
    );
  }
  return url.href;
}
