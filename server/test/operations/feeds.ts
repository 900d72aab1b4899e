import { numberAll } from '../../src/services/events/numbering.ts';
import { readFeed } from '../../src/services/events/read-feed.ts';
import { openStore } from '../../src/stores.ts';
import { shownEvent } from '../datastore/event-view.ts';
import type { TestApp } from '../support/app.ts';

/** Emitted some seconds after a request, whatever that was. */
const DELAYED = /^(limit|deprecation)\./;

/**
 * The types of all events of all workspaces, as many as there are; what is emitted later is at the end only within its
 * workspace, so the lists of two calls are compared by sorting new ones behind.
 */
export async function readFeeds(app: TestApp): Promise<string[]> {
  const { store } = await openStore(app.config);
  try {
    await numberAll(store);
    const found: [at: number, workspaceId: number, sequence: number, type: string][] = [];
    for (const { workspaceId } of await store.read.events.oldest(0, 1_000)) {
      for (let after = 0; ; ) {
        const { records } = await readFeed(store, workspaceId, { after, limit: 1_000 });
        if (records.length === 0) break;
        for (const { at, sequence, type } of records.map(shownEvent)) {
          found.push([at, workspaceId, sequence, type]);
        }
        after = records.at(-1)!.sequence;
      }
    }
    return found
      .filter(([, , , type]) => !DELAYED.test(type))
      .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
      .map(([, , , type]) => type);
  } finally {
    await store.close();
  }
}
