// The event stream. An event says what is no longer true; it never serves as data. Reading again costs requests of the
// plan, so it is done at most once in 15 seconds, and waits until half of the minute is left.

import type { PetstoreEvent as Event, ReadOperation } from '@petstore/client';
import { effect, signal } from '@preact/signals';
import { isEcho, isFree, readsOf, topicOf } from './changes.ts';
import { isPaused, minuteWindow } from './limits.ts';
import { queries } from './query.ts';
import { loadSession, may, session } from './session.ts';
import { store } from './store.ts';

const PAUSE_MS = 15_000;
/** How long to wait before a stream that ended for good is opened again. */
const REOPEN_MS = 30_000;
/** The first screen has the connections of the browser for itself. */
const START_MS = 1_000;

/** Called with each event while the page is visible: the feed on the screen shows it as it happens. */
export const lastEvent = signal<Event | undefined>(undefined);

/** Whether the stream is connected. */
export const isLive = signal(false);

export function startLive(): void {
  let controller: AbortController | undefined;
  const follow = () => {
    // The signals are read first: an effect hears only of those that it has read.
    const isServed = session.value?.state !== 'suspended';
    const mayRead = !isPaused.value && may('read') && isServed;
    const isWanted = mayRead && !document.hidden;
    if (!isWanted) controller?.abort();
    else controller ??= open();
  };
  const open = () => {
    const opened = new AbortController();
    void read(opened.signal).finally(() => {
      controller = undefined;
      // It may be wanted again by now.
      if (opened.signal.aborted) follow();
      else setTimeout(follow, REOPEN_MS);
    });
    return opened;
  };
  document.addEventListener('visibilitychange', follow);
  // A session that is read again says nothing of what was missed before.
  let workspaceId: number | undefined;
  effect(() => {
    if (!session.value || session.value.workspaceId === workspaceId) return;
    workspaceId = session.value.workspaceId;
    position = session.value.eventsCursor;
    // A stream of another workspace would go on behind an event that this one does not have.
    controller?.abort();
  });
  setTimeout(() => effect(follow), START_MS);
}

const LATEST = 'latest';
/**
 * The last event that was received, at first the end of the feed before the first reads. A stream goes on behind it, so
 * one that is opened late, or was closed for a while, misses nothing.
 */
let position = LATEST;

async function read(signal: AbortSignal): Promise<void> {
  try {
    const options = {
      signal,
      onOpen: () => {
        isLive.value = true;
      },
      onClose: () => {
        isLive.value = false;
      },
    };
    for await (const event of store.events.stream({ after: position }, options)) {
      position = event.id;
      note(event);
    }
  } catch {
    // Without a stream the page reads again when it is looked at, and on Refresh. The event may be gone from the feed.
    if (!signal.aborted) position = LATEST;
  }
}

const old = new Set<ReadOperation>();
let timer: ReturnType<typeof setTimeout> | undefined;

function note(event: Event): void {
  lastEvent.value = event;
  // The plan and the limits are those of the session everywhere on the screen. Reading it costs nothing.
  if (topicOf(event) === 'workspace') void loadSession();
  if (isEcho(event, session.value?.keyId)) return;
  for (const operation of readsOf(event)) old.add(operation);
  if (timer === undefined) refresh();
}

/** Reads what can be afforded, and looks after a while whether there is more to read. */
function refresh(): void {
  const { limit, remaining } = minuteWindow.value ?? { limit: 1, remaining: 1 };
  const canAfford = remaining * 2 > limit;
  for (const operation of old) {
    const mayRead = canAfford || isFree(operation);
    for (const query of queries.of(operation)) query.invalidate(mayRead);
    if (mayRead) old.delete(operation);
  }
  timer = setTimeout(() => {
    timer = undefined;
    if (old.size > 0) refresh();
  }, PAUSE_MS);
}
