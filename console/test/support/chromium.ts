import { type Browser, chromium } from 'playwright-core';
import { chromiumArgs, findChromium } from '../../../scripts/test-support/chromium.ts';

let launched: Promise<Browser> | undefined;

/** One browser for all tests of a worker. It ends with the process. */
export function browser(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: findChromium(), args: [...chromiumArgs] });
  return launched;
}
