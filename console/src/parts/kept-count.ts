/** What the names of a count begin with in the storage of this browser. */
export const COUNT_NAMES = 'count-';

/** Whether this browser keeps a count that is not finished. The service has signing out remove it. */
export function isCountKept(): boolean {
  try {
    return Object.keys(localStorage).some((name) => name.startsWith(COUNT_NAMES));
  } catch {
    // A browser that blocks storage keeps none.
    return false;
  }
}
