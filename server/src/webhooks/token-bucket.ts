/** A token bucket that holds as many tokens as it gets in a second. */
export class TokenBucket {
  #tokens: number | undefined;
  #at = 0;

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  take(perSecond: number, now: number): number {
    const gained = ((now - this.#at) / 1000) * perSecond;
    this.#tokens = Math.min(perSecond, (this.#tokens ?? perSecond) + Math.max(0, gained));
    this.#at = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - this.#tokens) / perSecond) * 1000);
  }
}
