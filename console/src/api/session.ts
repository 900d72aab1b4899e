import {
  AuthenticationError,
  Petstore,
  PetstoreError,
  RateLimitError,
  type Session,
} from '@petstore/client';
import { signal } from '@preact/signals';
import { controlWords } from '../words/controls.ts';
import { alone, clearPause, onPauseEnd, pause, request } from './limits.ts';
import { queries } from './query.ts';
import { store } from './store.ts';

export type Scope = Session['scopes'][number];

/** `undefined` until the service has said whether there is one, `null` if there is none. */
export const session = signal<Session | null | undefined>(undefined);
/** Why it is not known whether there is a session, where no banner says so. */
export const sessionError = signal<unknown>(null);
/** Whether the session ended while a screen was open: the screen stays, and the user signs in over it. */
export const hasExpired = signal(false);
/** Whether the screen is covered because it was left alone. The session lives on. */
export const isLocked = signal(false);

const IDLE_MS = 30 * 60_000;
const tabs = new BroadcastChannel('petstore-console');

export function may(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}

/**
 * Why a control is off that needs the scope; undefined if the key has it. What a key may not do is visible, off, and says
 * why. A workspace that is closing cannot be changed, except that it is reopened.
 */
export function scopeReason(scope: Scope, { whileClosing = false } = {}): string | undefined {
  if (!may(scope)) return controlWords.needsScope(scope);
  const isClosing = scope !== 'read' && session.value?.state === 'closing';
  return isClosing && !whileClosing ? controlWords.closing : undefined;
}

/** Finds out whether the cookie stands for a session. */
export async function loadSession(): Promise<void> {
  sessionError.value = null;
  try {
    begin(await request(() => store.session.get()));
  } catch (err) {
    const isBanned = err instanceof RateLimitError && err.code === 'key_banned';
    // A screen that is open stays below the question for a key.
    if (err instanceof AuthenticationError && session.value) hasExpired.value = true;
    // A banned session may take hours: the user can sign in with another key meanwhile.
    else if (err instanceof AuthenticationError || isBanned) session.value = null;
    else if (!pause.value) sessionError.value = err;
  }
}

/** Goes on with a session. What was read of another workspace is forgotten. */
function begin(next: Session): void {
  const isSame = session.value?.workspaceId === next.workspaceId;
  const wasOver = !isSame || hasExpired.value;
  if (!isSame) queries.clear();
  session.value = next;
  hasExpired.value = false;
  if (wasOver) for (const query of queries.of()) query.invalidate(true);
}

/** Exchanges a key for a session. The key goes into one header of one request and is not kept. */
export async function signIn(key: string): Promise<void> {
  const client = new Petstore({
    apiKey: key,
    baseUrl: `${location.origin}/v1`,
    maxWaitMs: 0,
    maxRetries: 0,
  });
  const created = await client.session.create();
  // The client of this page would wait for the end of the ban of the session before.
  if (pause.value?.kind === 'ban') return location.reload();
  isLocked.value = false;
  clearPause();
  begin(created);
  tabs.postMessage('signed-in');
}

export async function signOut(): Promise<void> {
  // A read that is answered when the session is over would look as if it had expired.
  for (const query of queries.of()) query.abort();
  try {
    await alone(async () => {
      await request(() => store.session.delete()).catch((err: unknown) => {
        // A session that is gone already is signed out.
        if (!(err instanceof AuthenticationError)) throw err;
      });
      tabs.postMessage('signed-out');
      forget();
    });
  } catch (err) {
    queries.refetch(({ data, error }) => data === undefined || error !== null);
    throw err;
  }
}

/** Shows the sign-in page. The wait of a ban stays: this page's client keeps it until it is loaded anew. */
export function forget(): void {
  if (pause.value?.kind !== 'ban') clearPause();
  session.value = null;
  hasExpired.value = false;
  queries.clear();
}

const STATE_CODES = ['workspace_suspended', 'workspace_closing'];

/** A request was answered with 401: the session has ended. Or the state of the workspace refused it: it is another by now. */
export function noteSessionEnd(err: unknown): void {
  if (err instanceof AuthenticationError && session.value) hasExpired.value = true;
  const isRefused = err instanceof PetstoreError && STATE_CODES.includes(err.code);
  if (isRefused && session.value?.state === 'active') void loadSession();
}

/** Follows the sign-ins and sign-outs of other tabs. A screen with unsaved input stays below the question for a key. */
export function startSession(hasUnsaved: () => boolean): void {
  tabs.addEventListener('message', ({ data }) => {
    if (data !== 'signed-out') void loadSession();
    else if (session.value && hasUnsaved()) hasExpired.value = true;
    else forget();
  });
  queries.onError = noteSessionEnd;
  onPauseEnd(() => {
    if (!session.value || pause.value?.isTrying) void loadSession();
  });
  lockWhenIdle();
}

function lockWhenIdle(): void {
  let timer: ReturnType<typeof setTimeout>;
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (session.value) isLocked.value = true;
    }, IDLE_MS);
  };
  for (const type of ['pointerdown', 'keydown', 'wheel', 'visibilitychange']) {
    addEventListener(type, restart, { passive: true, capture: true });
  }
  restart();
}
