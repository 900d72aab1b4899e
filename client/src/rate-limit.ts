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

export function rateLimitOf(headers: Headers, now = Date.now()): RateLimit | undefined {
  const limit = headers.get('x-ratelimit-limit');
  if (limit === null) return undefined;
  const quotas = new Map(items(headers.get('ratelimit-policy')).map(({ name, q }) => [name, q]));
  const windows: Record<string, RateWindow> = {};
  for (const { name, r, t } of items(headers.get('ratelimit'))) {
    const resetAt = new Date(now + t! * 1000);
    windows[name] = { limit: quotas.get(name) ?? Number.NaN, remaining: r!, resetAt };
  }
  return {
    limit: Number(limit),
    remaining: Number(headers.get('x-ratelimit-remaining')),
    resetAt: new Date(Number(headers.get('x-ratelimit-reset')) * 1000),
    windows,
  };
}

/** The items of a structured header: `"minute";r=59;t=58, "day";r=999;t=61234`. */
function items(header: string | null): { name: string; q?: number; r?: number; t?: number }[] {
  return (header ?? '').split(/,\s*/).flatMap((item) => {
    const [, name, rest = ''] = /^"(\w+)"(.*)$/.exec(item) ?? [];
    if (name === undefined) return [];
    const numbers = [...rest.matchAll(/;(\w)=(\d+)/g)].map(([, key, n]) => [key, Number(n)]);
    return [{ name, ...Object.fromEntries(numbers) }];
  });
}
