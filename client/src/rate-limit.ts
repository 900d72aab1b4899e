export interface RateWindow {
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** The request limits as the last response showed them. */
export interface RateLimit {
  limit: number;
  remaining: number;
  resetAt: Date;
  /** `minute` and `day`. */
  windows: Record<string, RateWindow>;
}

/** A window of `RateLimit`: `"minute";r=59;t=58, "day";r=999;t=61234`. */
const WINDOW = /"(\w+)"(?=[^,]*;r=(\d+))[^,]*;t=(\d+)/g;

/**
 * The service counts the seconds of a window from its decision, and a long poll is answered long after it. They are
 * counted from the instant the request was sent.
 */
export function rateLimitOf(headers: Headers, sentAt: number): RateLimit | undefined {
  const numberIn = (name: string) => Number(headers.get(`x-ratelimit-${name}`));
  const limit = numberIn('limit');
  if (limit === 0) return undefined;
  const policy = headers.get('ratelimit-policy');
  const windows: Record<string, RateWindow> = {};
  for (const [, name, remaining, seconds] of (headers.get('ratelimit') ?? '').matchAll(WINDOW)) {
    windows[name!] = {
      limit: Number(policy?.match(`"${name}"[^,]*;q=(\\d+)`)?.[1]),
      remaining: Number(remaining),
      resetAt: new Date(sentAt + Number(seconds) * 1000),
    };
  }
  return {
    limit,
    remaining: numberIn('remaining'),
    resetAt: new Date(numberIn('reset') * 1000),
    windows,
  };
}
