/** Makes a value when it is first asked for: what nobody asks for must not lengthen a start. */
export function once<T extends {}>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
