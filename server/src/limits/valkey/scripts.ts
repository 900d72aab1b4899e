import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Script {
  text: string;
  /** The SHA-1 digest by which the store knows the script. */
  digest: string;
}

/** The first number of each decision in a reply of the admit script. */
export const outcomes = ['admitted', 'minute', 'day', 'ban'] as const;

export const admitScript = readScript('admit');
export const bucketScript = readScript('bucket');
export const liftScript = readScript('lift');

function readScript(name: string): Script {
  const read = (file: string) =>
    readFileSync(new URL(`scripts/${file}.lua`, import.meta.url), 'utf8');
  const text = `${read('clock')}\n${read(name)}`;
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}
