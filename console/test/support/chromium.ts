import { type Browser, chromium } from 'playwright-core';
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
