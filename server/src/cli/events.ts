import { type EventRecord, eventJson } from '../domain/event.ts';
import { LATEST, readEventCursor } from '../domain/event-cursor.ts';
import type { EventView } from '../operations/views/event.ts';
import { EventFeed, type EventQuery } from '../services/events/event-feed.ts';
import { EventHub } from '../services/events/event-hub.ts';
import type { StoreInvocation } from './command.ts';
import { getWorkspaceId, onStore } from './on-store.ts';

const PAGE = 100;
/** The longest that a timer of Node can be set to. */
const FOREVER_MS = 2_147_483_647;

export const listEvents = onStore(list);
export const tailEvents = onStore(tail);

async function list(invocation: StoreInvocation): Promise<void> {
  const { feed, query } = await openFeed(invocation, undefined);
  const records: EventRecord[] = [];
  for (let page = await feed.list(query); ; ) {
    records.push(...page.records);
    if (!page.hasMore) break;
    page = await feed.list({ ...query, after: page.cursor });
  }
  invocation.print(records.map(eventView), records.map(lineOf));
}

/** Prints one line, or one JSON document, for each event. */
async function tail(invocation: StoreInvocation): Promise<void> {
  const { feed, query } = await openFeed(invocation, LATEST);
  let isOver = false;
  let end = () => {};
  const stop = () => {
    isOver = true;
    end();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const onEnd = (ending: () => void) => {
    end = ending;
  };
  // Without a cursor, each wait would start at the end of the feed and miss what came in between.
  let { cursor } = await feed.list({ ...query, limit: 0 });
  while (!isOver) {
    const page = await feed.wait({ ...query, after: cursor }, { ms: FOREVER_MS, onEnd });
    for (const record of page.records) invocation.print(eventView(record), [lineOf(record)]);
    ({ cursor } = page);
  }
}

async function openFeed(invocation: StoreInvocation, otherwise: string | undefined) {
  const { store, options } = invocation;
  const workspaceId = await getWorkspaceId(invocation);
  const given = options.after ?? otherwise;
  const source = { workspaceId, field: '--after' };
  const after = given === undefined ? {} : { after: readEventCursor(given, source) };
  const query: EventQuery = { workspaceId, limit: PAGE, ...after };
  return { feed: new EventFeed(store, new EventHub({ store, onFailure: warn })), query };
}

function eventView(record: EventRecord): EventView {
  return JSON.parse(eventJson(record));
}

function lineOf(record: EventRecord): string {
  const { id, timestamp, type, keyId, data } = eventView(record);
  return [id, timestamp, type, keyId ?? '-', JSON.stringify(data)].join('  ');
}

function warn(err: unknown): void {
  process.stderr.write(`petstore: the feed could not be read, trying again: ${String(err)}\n`);
}
