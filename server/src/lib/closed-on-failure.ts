/**
 * Runs `open`, which adds to the stack how to close each thing that it opens. If `open` throws, they are closed in the reverse
 * order and the same error is thrown: one that comes from closing would only hide it.
 */
export async function closedOnFailure<T>(
  open: (opened: AsyncDisposableStack) => Promise<T>,
): Promise<T> {
  const opened = new AsyncDisposableStack();
  try {
    return await open(opened);
  } catch (err) {
    await opened.disposeAsync().catch(() => undefined);
    throw err;
  }
}
