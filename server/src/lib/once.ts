/**
 * Makes a value on its first use, so that unused values do not delay a start. After a failure the next use tries
 * again.
 */
export function once<T extends {}>(make: () => T): () => T {
  let made: T | undefined;
  const forget = () => {
    made = undefined;
  };
  return () => {
    if (made === undefined) {
      made = make();
      if (made instanceof Promise) made.catch(forget);
    }
    return made;
  };
}

const FRESH_MS = 1_000;

/** Those who ask within a second share one result, or one failure. */
export function oncePerSecond<T>(make: () => Promise<T>): () => Promise<T> {
  let made: { result: Promise<T>; startedAtMs: number } | undefined;
  return () => {
    const startedAtMs = performance.now();
    if (!made || startedAtMs - made.startedAtMs >= FRESH_MS) {
      const result = make();
      // Those who ask get the failure; it may be that no one does.
      result.catch(() => undefined);
      made = { result, startedAtMs };
    }
    return made.result;
  };
}
