import { type ListRequestsQuery, type LoggedRequest, Requests } from '../../contract.ts';
import { pause } from '../../retry.ts';
import type { Arguments, Terminal } from '../command.ts';
import { connect } from '../connection.ts';
import { lineWriter } from './line-writer.ts';

const COLUMNS = ['at', 'status', 'code', 'method', 'path', 'keyId', 'durationMs', 'id'];
/** The service answers 60 of these a minute. */
const EVERY_MS = 2_000;
/** A row of another node may come as late as this, before newer ones that are printed already. */
const LATE_MS = 15_000;
const PER_PAGE = 100;

/** Prints requests as they are logged, from now on: `petstore requests tail --status 4xx`. */
export async function tailRequests(args: Arguments, terminal: Terminal): Promise<void> {
  const write = lineWriter(COLUMNS, args, terminal);
  const { signal } = terminal;
  const requests = new Requests(connect(args, terminal).transport);
  const filters = filtersIn(args);
  const [newest] = (await requests.list({ limit: 1 }, { signal })).items;
  // The clock of the service, not that of this machine.
  const start = newest ? Date.parse(newest.at) : 0;
  const seen = new Map<string, number>();
  if (newest) seen.set(keyOf(newest), start);
  let last = start;
  for (;;) {
    const since = Math.max(start, last - LATE_MS);
    for (const [key, at] of seen) if (at < since) seen.delete(key);
    const query = { ...filters, from: new Date(since), sort: 'at', limit: PER_PAGE } as const;
    for await (const request of requests.list(query, { signal })) {
      if (seen.has(keyOf(request))) continue;
      const at = Date.parse(request.at);
      seen.set(keyOf(request), at);
      last = Math.max(last, at);
      write(request);
    }
    await pause(EVERY_MS, signal);
  }
}

function filtersIn({ flags }: Arguments): ListRequestsQuery {
  const fields = { status: 'status', code: 'code', operationId: 'operation-id', keyId: 'key-id' };
  const given = Object.entries(fields).flatMap(([field, name]) => {
    const value = flags.get(name)?.[0];
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(given);
}

/** A client may send one id more than once. */
function keyOf({ id, at }: LoggedRequest): string {
  return `${at} ${id}`;
}
