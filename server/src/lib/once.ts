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
