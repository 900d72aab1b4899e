import type { PetstoreEvent as Event } from '@petstore/client';
import { afterEach, expect, test, vi } from 'vitest';

const LOCATION = { origin: 'http://127.0.0.1:1', search: '' };
// The client of the page reads where the page is when it is loaded.
vi.stubGlobal('location', LOCATION);
const { readNewest } = await import('../../src/screens/events/feed.ts');

afterEach(() => {
  vi.unstubAllGlobals();
  vi.stubGlobal('location', LOCATION);
});

/** The events with these numbers, oldest first. */
const events = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => ({
    id: `evt_${first + index}`,
    sequence: first + index,
  })) as Event[];

/** The newest page that shows the events from `first` to 250, after those up to `last` have happened. */
async function after(first: number, last: number) {
  const known = { events: events(first, 250).reverse(), from: first - 1, to: 250, cursor: '250' };
  vi.stubGlobal('fetch', async () => Response.json(events(251, last)));
  return readNewest(known, { type: undefined, signal: new AbortController().signal });
}

test('what came since stands before what is known', async () => {
  const feed = await after(201, 300);
  expect(feed).toMatchObject({ from: 200, to: 300 });
  expect(feed.events.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 100 }, (_, index) => 300 - index),
  );
});

test('an older page goes on below the last event that a long feed keeps', async () => {
  const feed = await after(101, 310);
  expect(feed.events).toHaveLength(200);
  expect(feed.events.at(-1)!.sequence).toBe(111);
  expect(feed).toMatchObject({ from: 110, to: 310 });
});
