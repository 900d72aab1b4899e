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
  const limit = headers.get('x-ratelimit-limit');
  if (limit === null) return undefined;
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
    limit: Number(limit),
    remaining: Number(headers.get('x-ratelimit-remaining')),
    resetAt: new Date(Number(headers.get('x-ratelimit-reset')) * 1000),
    windows,
  };
}
