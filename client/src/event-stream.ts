import { errorOf, PetstoreError, RateLimitError } from './errors.ts';
import { pause, TIMER_MAX_MS } from './retry.ts';
import type { Request, Transport } from './transport.ts';

const RETRY_MS = 3_000;
/** A stream without a heartbeat for so long is dead. */
const SILENCE_MAX_MS = 45_000;

/**
 * The events of a workspace as they happen. The stream reconnects by itself after the last event that was received, so
 * nothing is missed and nothing comes twice. It ends with the signal, or throws an error that a retry cannot fix.
 */
export async function* streamEvents<Event>(
  transport: Transport,
  request: Request,
): AsyncGenerator<Event, void, undefined> {
  const signal = request.options?.signal;
  const place = { id: undefined as string | undefined, retryMs: RETRY_MS };
  let reportedMs = 0;
  for (;;) {
    let error: unknown = new Error('The stream is empty.');
    signal?.throwIfAborted();
    const silence = new AbortController();
    try {
      const combined = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
      const headers = { ...request.options?.headers, accept: 'text/event-stream' };
      const resumed = place.id === undefined ? headers : { ...headers, 'last-event-id': place.id };
      const options = { ...request.options, headers: resumed };
      const opened = transport.open({ ...request, options }, combined);
      const response = await unlessSilent(opened, silence);
      if (!response.ok) throw errorOf(response, await unlessSilent(response.text(), silence));
      for await (const { id, data, retryMs } of blocksOf(response, silence)) {
        // A stream that ends after a while is no outage.
        error = undefined;
        reportedMs = 0;
        if (retryMs !== undefined) place.retryMs = retryMs;
        if (data !== undefined) yield JSON.parse(data) as Event;
        if (id !== undefined) place.id = id;
      }
    } catch (err) {
      signal?.throwIfAborted();
      error = err;
      if (err instanceof PetstoreError && isFinal(err)) throw err;
      if (err instanceof RateLimitError) {
        place.retryMs = Math.max(RETRY_MS, err.retryAfterSeconds * 1000);
      } else if (err instanceof PetstoreError) place.retryMs = RETRY_MS;
    } finally {
      silence.abort();
    }
    if (error && place.retryMs > reportedMs) {
      reportedMs = place.retryMs;
      transport.onWait?.(reportedMs, error);
    }
    await pause(Math.min(TIMER_MAX_MS, place.retryMs), signal);
  }
}

function isFinal({ status }: PetstoreError): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

interface Block {
  id: string | undefined;
  data: string | undefined;
  retryMs: number | undefined;
}

async function* blocksOf(response: Response, silence: AbortController): AsyncGenerator<Block> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await unlessSilent(reader.read(), silence);
    if (done) return;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) yield blockOf(block);
  }
}

/** Aborts a connection on which nothing arrives. */
function unlessSilent<T>(arriving: Promise<T>, silence: AbortController): Promise<T> {
  const timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS);
  return arriving.finally(() => clearTimeout(timer));
}

function blockOf(text: string): Block {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).replace(/^ /, ''));
  }
  const retry = fields.get('retry') ?? '';
  return {
    id: fields.get('id'),
    data: fields.get('data'),
    retryMs: /^\d+$/.test(retry) ? Number(retry) : undefined,
  };
}
