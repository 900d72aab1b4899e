import type { Bug } from './bug.ts';

/** Bugs of the feed and of its streams. */
export const eventBugs: readonly Bug[] = [
  {
    name: 'the first read of a long feed numbers all of it',
    file: 'server/src/services/events/read-feed.ts',
    find: ' && batch < BATCHES_MAX',
    replace: '',
    tests: ['datastore/postgres/event-numbering.test.ts'],
  },
  {
    name: 'the text of an event is built from the domain of today',
    file: 'server/src/datastore/events.ts',
    find: '  return { sequence, type, at, traceparent, text };',
    replace:
      '  return { sequence, type, at, traceparent, text: JSON.stringify(JSON.parse(text)) };',
    tests: ['operations/events/stored-texts.test.ts'],
  },
  {
    name: 'the single statement of an order writes another text than the others',
    file: 'server/src/datastore/orders/place-in-one.ts',
    find: "available: 'quantity - reserved'",
    replace: "available: 'quantity'",
    tests: ['store/event-texts.test.ts'],
  },
  {
    name: 'events are numbered in the order of the clocks',
    file: 'server/src/datastore/events.ts',
    find: 'OVER (ORDER BY place, id)',
    replace: 'OVER (ORDER BY at, id)',
    tests: ['datastore/postgres.test.ts'],
  },
  {
    name: 'an event may come between a change and its inventory.low',
    file: 'server/src/datastore/events.ts',
    find: 'OVER (ORDER BY place, id)',
    replace: 'OVER (ORDER BY id)',
    tests: ['datastore/postgres/event-numbering.test.ts'],
  },
  {
    name: 'events that are no longer kept are skipped in silence',
    file: 'server/src/services/events/event-feed.ts',
    find: '  if (start.sequence < head.firstSequence - 1) throw expired(head);\n',
    replace: '',
    tests: ['services/event-feed.test.ts'],
  },
  {
    name: 'a cursor goes on in a restored store',
    file: 'server/src/services/events/event-feed.ts',
    find: '  if (isOther(found, start)) throw unknown(head);\n',
    replace: '',
    tests: ['services/event-feed.test.ts'],
  },
  {
    name: 'a stream waits for drain and for nothing else',
    file: 'server/src/http/response/event-stream.ts',
    find: "      output.once('close', done);\n      output.write(text, done);",
    replace:
      "      output.once('drain', done);\n      if (output.write(text) && output.writableLength === 0) done();",
    tests: ['http/event-stream.test.ts'],
  },
  {
    name: 'a stream goes on after its key was revoked',
    file: 'server/src/http/response/event-stream.ts',
    find: '    if (isAllowed === false) this.#end();\n',
    replace: '',
    tests: ['http/event-stream.test.ts'],
  },
  {
    name: 'a stream is silent while it catches up and its filter passes nothing',
    file: 'server/src/http/response/event-stream.ts',
    find: '    await this.#sendHeartbeatIfDue();\n',
    replace: '    if (!batch?.hasMore) await this.#sendHeartbeatIfDue();\n',
    tests: ['http/event-stream.test.ts'],
  },
  {
    name: 'a stream that catches up leaves no time for other work',
    file: 'server/src/http/response/event-stream.ts',
    find: '    if (batch?.hasMore) await setImmediate();\n    else await',
    replace: '    if (!batch?.hasMore) await',
    tests: ['http/event-stream.test.ts'],
  },
  {
    name: 'a deleted category emits no event',
    file: 'server/src/services/categories.ts',
    find: "  await emit(tx, { caller, now }, { type: 'category.deleted', data: { category } });\n",
    replace: '',
    tests: ['operations/every-event.test.ts'],
  },
  {
    name: 'events stay in memory after the last subscriber has left',
    file: 'server/src/services/events/event-hub.ts',
    find: '      if (this.#watched.get(workspaceId) === watched) this.#watched.delete(workspaceId);\n',
    replace: '',
    tests: ['services/event-feed.test.ts'],
  },
  {
    name: 'a failing webhook waits until no healthy one does',
    file: 'server/src/webhooks/dispatcher.ts',
    find: 'const FAILING_WORKERS_RESERVED = 10;',
    replace: 'const FAILING_WORKERS_RESERVED = 0;',
    tests: ['webhooks/dispatcher.test.ts'],
  },
  {
    name: 'a poll waits for a client that has gone',
    file: 'server/src/http/request/call.ts',
    find: 'if (socket.destroyed) {',
    replace: 'if (socket.destroyed && socket.readable) {',
    tests: ['overload/waiting-polls.test.ts'],
  },
];
