import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Script {
  text: string;
  /** The SHA-1 digest by which the store knows the script. */
  digest: string;
}

/** The first number of each decision in a reply of the admit script. */
export const outcomes = ['admitted', 'minute', 'day', 'ban'] as const;

export const admitScript = readScript('clock', 'refusals', 'admit');
export const bucketScript = readScript('clock', 'bucket');
export const liftScript = readScript('clock', 'refusals', 'lift');
export const nameScript = readScript('clock', 'name');

/** A script is the text of its files, one after the other. */
function readScript(...names: string[]): Script {
  const read = (file: string) =>
    readFileSync(new URL(`scripts/${file}.lua`, import.meta.url), 'utf8');
  const text = names.map(read).join('\n');
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}
