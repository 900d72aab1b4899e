import { MINUTE_MS } from '../domain/durations.ts';
import type { Verdict } from './limiter.ts';
import { minuteView } from './window.ts';

interface Bucket {
  start: number;
  used: number;
}

/**
 * Fixed windows of a minute for any names, at most `max` of them, in two generations. New names go
 * into the younger. When it is a minute old or holds half of `max`, it becomes the elder, and the old
 * elder is dropped whole: deleting single entries from the front of a large map gets slower with
 * every one deleted.
 */
export class Buckets {
  readonly #generationMax: number;
  #younger = new Map<string, Bucket>();
  #elder = new Map<string, Bucket>();
  #bornAt = 0;

  constructor(max: number) {
    this.#generationMax = max / 2;
  }

  get size(): number {
    return this.#younger.size + this.#elder.size;
  }

  admit(name: string, perMinute: number, now: number): Verdict {
    const bucket = this.#current(name, now) ?? this.#open(name, now);
    const isSpent = bucket.used >= perMinute;
    if (!isSpent) bucket.used += 1;
    return bucketVerdict(bucket, { perMinute, now, isRefused: isSpent });
  }

  peek(name: string, perMinute: number, now: number): Verdict {
    const bucket = this.#current(name, now) ?? { start: now, used: 0 };
    return bucketVerdict(bucket, { perMinute, now, isRefused: false });
  }

  /** Takes over a count of the shared store. */
  learn(name: string, { start, used }: Bucket, now: number): void {
    const bucket = this.#current(name, now) ?? this.#open(name, now);
    bucket.used = bucket.start === start ? Math.max(bucket.used, used) : used;
    bucket.start = start;
  }

  #current(name: string, now: number): Bucket | undefined {
    const bucket = this.#younger.get(name) ?? this.#elder.get(name);
    if (!bucket) return undefined;
    if (now < bucket.start) bucket.start = now;
    return now < bucket.start + MINUTE_MS ? bucket : undefined;
  }

  #open(name: string, now: number): Bucket {
    if (now < this.#bornAt) this.#bornAt = now;
    const isOld = now >= this.#bornAt + MINUTE_MS;
    if (isOld || this.#younger.size >= this.#generationMax) {
      this.#elder = this.#younger;
      this.#younger = new Map();
      this.#bornAt = now;
    }
    const bucket = { start: now, used: 0 };
    this.#younger.set(name, bucket);
    return bucket;
  }
}

export function bucketVerdict(
  bucket: Bucket,
  { perMinute, now, isRefused }: { perMinute: number; now: number; isRefused: boolean },
): Verdict {
  const window = minuteView(bucket, perMinute, now);
  if (!isRefused) return { at: now, windows: [window] };
  const until = window.resetAt;
  const refusal = { by: 'minute' as const, retryAt: until, until, refusalsBeforeBan: 0 };
  return { at: now, windows: [window], refusal };
}
