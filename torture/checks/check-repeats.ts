import type { Answer, Client } from '../client.ts';
import type { Entry, History } from '../history.ts';
import type { Faults } from './checkers.ts';

/**
 * Sends requests again under their Idempotency-Key: a stored answer comes back byte for byte and changes nothing, an
 * answer that is never stored is decided anew. A request that got 503 is left out: it changed nothing, and would now be
 * carried out. Repeats at most `max` requests, the latest first.
 */
export async function checkRepeats(history: History, client: Client, max: number): Promise<Faults> {
  const known = history.entries.filter(
    ({ outcome, status, request }) =>
      outcome !== 'unknown' && status !== undefined && status !== 503 && request.key !== undefined,
  );
  const faults: Faults = [];
  for (const entry of known.slice(-max)) {
    const reply = await client.settle(entry.request);
    const fault = reply.kind === 'answer' ? faultOf(entry, reply) : 'it was not answered';
    if (fault) faults.push(`${entry.kind} ${entry.label}: repeated under its key, ${fault}`);
  }
  return faults;
}

function faultOf({ status, text }: Entry, reply: Answer): string | undefined {
  const isReplayed = reply.headers.get('idempotency-replayed') === 'true';
  if (status === 400) {
    return reply.status === 400 && !isReplayed ? undefined : `it gave ${reply.status} for 400`;
  }
  if (!isReplayed) return `it ran again and gave ${reply.status} for ${status}`;
  return reply.status === status && reply.text === text ? undefined : `it gave ${reply.text}`;
}
