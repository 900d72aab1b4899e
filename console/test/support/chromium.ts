import { type Browser, chromium, type Route } from 'playwright-core';
import { chromiumArgs, findChromium } from '../../../scripts/test-support/chromium.ts';

/** A name for this machine that is no secure context, unlike its address: so a shop reaches the console over plain http. */
export const PLAIN_HOST = 'petstore.test';

let launched: Promise<Browser> | undefined;

/** One browser for all tests of a worker. It ends with the process. */
export function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: findChromium(),
    args: [...chromiumArgs, `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`],
  });
  return launched;
}

/** Lets a request reach the service, and leaves the answer to the test. The plain host has a meaning in the browser alone. */
export async function reachService(route: Route): Promise<void> {
  const url = new URL(route.request().url());
  const headers = { ...route.request().headers(), host: url.host };
  await route.fetch({ url: url.href.replace(PLAIN_HOST, '127.0.0.1'), headers });
}
