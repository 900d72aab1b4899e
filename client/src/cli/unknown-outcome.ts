// Whether a write may have been done although no response of the service says so.

import { PetstoreError } from '../errors.ts';
import type { RequestEvent } from '../options.ts';

/** Why a connection failed before the service was sent anything. */
const UNSENT =
  /REFUSED|NOTFOUND|EAI_AGAIN|UNREACH|CONNECT_TIMEOUT|CERT|VERIFY|ERR_(SSL|TLS)|bad port|redirect/;
/** The service looked for an earlier response under the Idempotency-Key before it refused with one of these. */
const DECIDED = /^(400|404|409|412|422) (?!idempotency_in_progress|unexpected_answer)/;

/** Follows the attempts of writes. Those of one write share its Idempotency-Key, so the last one tells what became of all. */
export class Writes {
  /** Whether the last write may have been done by an attempt that got no response. */
  isUnknown = false;

  note({ method, path, error }: RequestEvent): void {
    if (method === 'GET' || path.includes('dryRun=true')) return;
    if (mayBeDone(error)) this.isUnknown = true;
    else if (isDecided(error)) this.isUnknown = false;
  }
}

/** Whether an attempt that ended so may have changed something. */
function mayBeDone(error: unknown): boolean {
  // Interrupted, if it is none of the client.
  if (!(error instanceof PetstoreError)) return error !== undefined;
  const { status, code, details, cause } = error;
  const { outcome } = (details ?? {}) as { outcome?: string };
  if (status === 0) return !UNSENT.test(reasonCode(cause));
  // A 500 may follow the commit. A proxy that refuses with a 4xx of its own has passed nothing on.
  const isForeign = code === 'unexpected_answer' && (status < 400 || status >= 500);
  return status === 500 || outcome === 'unknown' || isForeign;
}

function isDecided(error: unknown): boolean {
  if (!(error instanceof PetstoreError)) return true;
  return DECIDED.test(`${error.status} ${error.code}`);
}

/** The code that the system or TLS gave a connection that failed, or what fetch says where there is none. */
export function reasonCode(cause: unknown): string {
  const { code, message = '' } = ((cause as Error | undefined)?.cause ??
    {}) as Partial<NodeJS.ErrnoException>;
  return code ?? message;
}

/** What to say of rows that were sent. `done` is what may have been done to them. */
export function unansweredText(lines: readonly number[], done: string): string {
  const [first, last] = [lines[0], lines.at(-1)];
  return lines.length === 1
    ? `line ${first} was sent and not answered; whether it was ${done} is unknown`
    : `the ${lines.length} rows of lines ${first} to ${last} were sent and not answered; whether they were ${done} is unknown`;
}
