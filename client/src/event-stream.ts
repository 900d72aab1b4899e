import { errorOf, jsonObject, PetstoreError, retryAfterMs } from './errors.ts';
import type { StreamOptions } from './options.ts';
import type { Request } from './request.ts';
import { follow, pause, TIMER_MAX_MS, unlessAborted } from './retry.ts';
import type { Transport } from './transport.ts';

const STREAM_TYPE = 'text/event-stream';
const RETRY_MS = 3_000;
/** A stream without a heartbeat for so long is dead. */
const SILENCE_MAX_MS = 45_000;

/**
 * The events of a workspace as they happen. The stream reconnects by itself after the last event that was received, so
 * nothing is missed and nothing comes twice. It ends with the signal, or throws an error that a retry cannot fix.
 */
export async function* streamEvents<Event>(
  transport: Transport,
  request: Request & { options?: StreamOptions | undefined },
): AsyncGenerator<Event, void, undefined> {
  const { signal, headers, onOpen, onClose } = request.options ?? {};
  let lastId: string | undefined;
  let retryMs = RETRY_MS;
  let reportedMs = 0;
  for (let attempt = 0; ; attempt++) {
    let error: unknown = new Error('The stream is empty.');
    let waitMs = 0;
    let isOpen = false;
    signal?.throwIfAborted();
    const silence = new AbortController();
    const release = follow(signal, silence);
    const options = {
      ...request.options,
      // What is undefined is not sent.
      headers: { ...headers, accept: STREAM_TYPE, 'last-event-id': lastId! },
    };
    try {
      const opening = { attempt, timeoutMs: SILENCE_MAX_MS, silence };
      const response = await transport.open({ ...request, options }, opening);
      const type = response.headers.get('content-type');
      if (!type?.startsWith(STREAM_TYPE))
        throw errorOf(response, `"${type}" is no stream of events.`);
      isOpen = true;
      onOpen?.();
      for await (const block of blocksOf(response, silence, transport)) {
        // A stream that ends after a while is no outage.
        error = undefined;
        reportedMs = 0;
        const retry = fieldOf(block, 'retry') ?? '';
        if (/^\d+$/.test(retry)) retryMs = Number(retry);
        const data = fieldOf(block, 'data');
        if (data !== undefined) yield eventIn<Event>(data, response);
        lastId = fieldOf(block, 'id') ?? lastId;
      }
    } catch (err) {
      signal?.throwIfAborted();
      // What a callback or the function that gives the key throws is the reader's own.
      if (!(err instanceof PetstoreError) || isFinal(err)) throw err;
      error = err;
      waitMs = retryAfterMs(err.response) ?? 0;
    } finally {
      release();
      silence.abort();
      if (isOpen) onClose?.();
    }
    waitMs = Math.max(waitMs, retryMs);
    if (error && waitMs > reportedMs) {
      reportedMs = waitMs;
      transport.onWait?.(waitMs, error);
    }
    await pause(Math.min(TIMER_MAX_MS, waitMs), signal);
  }
}

/** A retry would bring the same again: a refusal, or what is no stream of events. */
function isFinal({ status }: PetstoreError): boolean {
  return status > 0 && status < 500 && status !== 408 && status !== 429;
}

async function* blocksOf(
  response: Response,
  silence: AbortController,
  transport: Transport,
): AsyncGenerator<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await unlessSilent(reader.read(), silence).catch((err: unknown) => {
        throw transport.failure(err, silence.signal.aborted ? SILENCE_MAX_MS : undefined);
      });
      if (done) return;
      text += value;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      yield* blocks;
    }
  } finally {
    // It closes the connection where fetch has lost its signal.
    reader.cancel().catch(() => {});
  }
}

function eventIn<Event>(data: string, response: Response): Event {
  const event = jsonObject(data);
  // Asked for again, it would be the same.
  if (!event) throw errorOf(response, `An event is not JSON: ${data}`);
  return event as Event;
}

/** Aborts a connection on which nothing arrives. */
function unlessSilent<T>(arriving: Promise<T>, silence: AbortController): Promise<T> {
  const timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS);
  return unlessAborted(silence.signal, arriving).finally(() => clearTimeout(timer));
}

/** The value of a field. The dot of a pattern would end at U+2028, which JSON may contain. */
function fieldOf(block: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\n)${name}: ?([^\\n]*)`).exec(block)?.[1];
}
