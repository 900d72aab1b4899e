// Aborts what is being read after a garbage collection, on the runtime that runs it. It prints `aborted` for each.
// Run it with --expose-gc, in a folder in which the client is installed.

import { createServer } from 'node:http';
import { Petstore } from '@petstore/client';

const collect = globalThis.gc ?? (() => globalThis.Bun.gc(true));
const closed = [];
// Every response begins and never ends.
const server = createServer((req, res) => {
  const isStream = req.url.includes('/stream');
  res.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
  closed.push(new Promise((resolve) => res.once('close', resolve)));
  res.write(isStream ? 'data: {"sequence":1}\n\n' : '[');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
const store = new Petstore({ apiKey: 'psk_test', baseUrl, maxRetries: 0 });

async function collectGarbage() {
  for (let round = 0; round < 10; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function endsWith(reading, reason) {
  const late = new Promise((resolve) => setTimeout(resolve, 5_000, new Error('not aborted')));
  const err = await Promise.race([reading.catch((error) => error), late]);
  if (!String(err).includes(reason)) throw err;
  console.log('aborted');
}

{
  const controller = new AbortController();
  const stream = store.events.stream({}, { signal: controller.signal });
  await stream.next();
  const reading = stream.next();
  await collectGarbage();
  controller.abort(new Error('enough'));
  await endsWith(reading, 'enough');
  await closed[0];
}
{
  const controller = new AbortController();
  const reading = store.pets.list({}, { signal: controller.signal }).withResponse();
  reading.catch(() => {});
  await collectGarbage();
  controller.abort(new Error('enough'));
  await endsWith(reading, 'enough');
}
{
  const reading = store.pets.list({}, { timeoutMs: 500 }).withResponse();
  reading.catch(() => {});
  await collectGarbage();
  await endsWith(reading, 'did not answer within 500 ms');
}
process.exit(0);
