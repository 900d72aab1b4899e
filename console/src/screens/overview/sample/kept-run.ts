import { session } from '../../../api/session.ts';

/** How far filling the store came. */
export interface SampleRun {
  /** The beginning of the Idempotency-Key of each of its requests. */
  id: string;
  at: number;
  categoryIds: readonly number[];
  petIds: readonly number[];
  lastOrderId: number;
  /** How many requests were answered. */
  done: number;
}

/** The service knows a key for a day. After that, what was sent last could be done twice. */
const KEPT_MS = 23 * 3_600_000;

const nameOf = () => `sample-${session.value!.workspaceId}`;
/** For a browser that blocks storage: until the page is left. */
let here: { name: string; text: string } | undefined;

/** The run of this workspace that has begun and not ended. */
export function keptRun(): SampleRun | undefined {
  const text = here?.name === nameOf() ? here.text : stored();
  const run = text === null ? undefined : (JSON.parse(text) as SampleRun);
  return run && Date.now() - run.at < KEPT_MS ? run : undefined;
}

function stored(): string | null {
  try {
    return localStorage.getItem(nameOf());
  } catch {
    return null;
  }
}

export function keepRun(run: SampleRun | undefined): void {
  here = run && { name: nameOf(), text: JSON.stringify(run) };
  try {
    if (here) localStorage.setItem(here.name, here.text);
    else localStorage.removeItem(nameOf());
  } catch {
    // It is kept here.
  }
}
