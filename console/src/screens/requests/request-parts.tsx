import type { LoggedRequest } from '@petstore/client';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { requestWords as words } from '../../words/account/requests.ts';
import { whoOf } from '../movement.tsx';

const tones: Record<string, Tone> = { 2: 'good', 4: 'warn', 5: 'bad' };

/** The status, and the code of the error beside it. */
export function Status({ request: { status, code } }: { request: LoggedRequest }) {
  return (
    <>
      <Badge tone={tones[String(status)[0]!] ?? 'neutral'}>{status}</Badge>
      {code !== undefined && <span class="name mono small">{code}</span>}
    </>
  );
}

/** The name of the key that sent it. */
export const whoSent = (
  request: Pick<LoggedRequest, 'keyId'>,
  names: ReadonlyMap<string, string>,
) => whoOf(request, names, words.noKey);

/** The path as the reader knows it: all of them begin with the same version. */
export const shortPath = ({ path }: Pick<LoggedRequest, 'path'>) => path.replace(/^\/v1(?=\/)/, '');

const records = [
  [/^\/store\/orders\/(\d+)/, 'order', '/orders/'],
  [/^\/(?:pets|inventory)\/(\d+)/, 'pet', '/inventory?pet='],
  [/^\/webhooks\/(\d+)/, 'webhook', '/webhooks/'],
] as const;

/** The record that a request names, and where the console shows it. */
export function recordOf(
  request: Pick<LoggedRequest, 'path'>,
): { kind: keyof typeof words.records; path: string } | undefined {
  for (const [pattern, kind, path] of records) {
    const id = pattern.exec(shortPath(request))?.[1];
    if (id !== undefined) return { kind, path: path + id };
  }
  return undefined;
}
