// Writes. An intention has one Idempotency-Key until it is answered or its content changes, so a second click and a lost
// answer change nothing twice. What would be made twice keeps its key also with other content, once an answer was lost: the
// service refuses that if the first was saved. A write that the minute's limit refused is kept and sent once when the minute is over,
// also if what sent it has left the screen by then.

import { PetstoreError, RateLimitError, type WriteOperation } from '@petstore/client';
import { computed, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { expectEcho, noteChange } from './changes.ts';
import { isPaused, onPauseEnd, pause, request } from './limits.ts';
import { noteSessionEnd, session } from './session.ts';

interface Kept {
  send: () => void;
  takeBack: () => void;
}

/** The write that waits. At most one waits: the next one is refused. */
const kept = signal<Kept | undefined>(undefined);

/** Whether a change is kept until the limit lets it through. */
export const hasKeptWrite = () => kept.value !== undefined;

/** The error of the last write whose form was left before it was answered. */
export const lostError = signal<unknown>(undefined);

onPauseEnd(() => {
  const write = kept.value;
  kept.value = undefined;
  write?.send();
});

// What one session has sent is not sent by the next.
computed(() => session.value?.keyId).subscribe(() => kept.value?.takeBack());

/** What became of a write. */
export interface WriteStatus {
  state: 'idle' | 'sending' | 'kept';
  error: unknown;
  /** Takes back a write that is kept: it is not sent. */
  takeBack: () => void;
  /** Forgets the error. */
  reset: () => void;
}

export interface Write<Body> extends WriteStatus {
  run: (body: Body) => void;
}

export interface WriteHandlers<Body, Result> {
  /** What is sent. What it changes is read again. */
  operation: WriteOperation;
  /** How many records it changes; one, unless it says otherwise. */
  rowsOf?: (body: Body) => number;
  /** Calls the client with the key of this intention. */
  send: (body: Body, idempotencyKey: string) => PromiseLike<Result>;
  /** It is done. Also called if what sent it has left the screen. */
  onDone?: (result: Result, body: Body) => void;
  /** What comes next on the screen: closes the form, goes to another page. Not called once the user has left. */
  goOn?: (result: Result, body: Body) => void;
  onError?: (err: unknown, body: Body) => void;
  /** It is kept. */
  onKept?: () => void;
  /** It was kept, and is not sent any more. */
  onDropped?: () => void;
}

export function useWrite<Body, Result>(handlers: WriteHandlers<Body, Result>): Write<Body> {
  const [state, setState] = useState<WriteStatus['state']>('idle');
  const [error, setError] = useState<unknown>(undefined);
  const latest = useRef(handlers);
  latest.current = handlers;
  const intention = useRef({ content: '', key: '', isLost: false });
  const waiting = useRef<Kept | undefined>(undefined);
  const takeBack = () => {
    if (!waiting.current || kept.value !== waiting.current) return;
    kept.value = undefined;
    setState('idle');
    latest.current.onDropped?.();
  };
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );

  const keep = (body: Body) => {
    waiting.current = { send: () => void attempt(body), takeBack };
    kept.value = waiting.current;
    setState('kept');
    latest.current.onKept?.();
  };
  const attempt = async (body: Body) => {
    if (isPaused.value && pause.value?.kind === 'minute' && !kept.value) return keep(body);
    setState('sending');
    setError(undefined);
    const { operation, rowsOf } = latest.current;
    const noteAnswer = expectEcho(operation, rowsOf?.(body));
    try {
      const result = await request(() => latest.current.send(body, intention.current.key));
      noteAnswer();
      intention.current.key = '';
      setState('idle');
      latest.current.onDone?.(result, body);
      if (!isLeft.current) latest.current.goOn?.(result, body);
      noteChange(operation);
    } catch (err) {
      noteAnswer(true);
      if (isRefusedMinute(err) && !kept.value) return keep(body);
      if (isStored(err)) intention.current.key = '';
      // What stood in its way may not be on the screen yet; nor is the change itself, if its answer was lost.
      if (isStored(err) || isUnknown(err)) noteChange(operation);
      intention.current.isLost ||= isUnknown(err) && MADE_TWICE.test(operation);
      noteSessionEnd(err);
      setState('idle');
      setError(err);
      if (isLeft.current) lostError.value = err;
      latest.current.onError?.(err, body);
    }
  };
  const run = (body: Body) => {
    if (state !== 'idle') return;
    const content = JSON.stringify(body) ?? '';
    const { key, content: before, isLost } = intention.current;
    if (key === '' || (before !== content && !isLost)) {
      intention.current = { content, key: newKey(), isLost: false };
    }
    void attempt(body);
  };
  return { state, error, run, takeBack, reset: () => setError(undefined) };
}

/** What makes another record, or moves stock, each time it is sent. */
const MADE_TWICE = /^(place|create|adjust)/;

/** 128 random bits. A page over plain http lacks `randomUUID`. */
export function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * Whether the service keeps this refusal under the key. The same content is a new intention then: what stood in its way
 * may be gone.
 */
export function isStored(err: unknown): boolean {
  return (
    err instanceof PetstoreError &&
    [404, 409, 412, 422].includes(err.status) &&
    err.code !== 'idempotency_in_progress'
  );
}

/** Whether the change may be saved all the same: no answer came, or the service failed. */
export function isUnknown(err: unknown): boolean {
  return err instanceof PetstoreError && (err.status === 0 || err.status >= 500);
}

function isRefusedMinute(err: unknown): boolean {
  return (
    err instanceof RateLimitError &&
    pause.value?.kind === 'minute' &&
    err.code === 'rate_limit_exceeded'
  );
}
