/** Runs the work and counts the ticks in which something else could have run meanwhile. */
export async function ticksDuring(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  const count = () => {
    ticks += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  await work();
  clearImmediate(counting);
  return ticks;
}
