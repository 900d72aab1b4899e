/**
 * Makes a value when it is first asked for: what nobody asks for must not lengthen a start. What could not be made
 * is tried again when it is next asked for.
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
