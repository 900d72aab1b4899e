/** Reports how far the work is, every two seconds until it is done. Work that takes less reports nothing. */
export async function withProgress<Progress, Result>(
  report: (progress: Progress) => void,
  work: (onProgress: (progress: Progress) => void) => Promise<Result>,
  everyMs = 2_000,
): Promise<Result> {
  let latest: Progress | undefined;
  const timer = setInterval(() => {
    if (latest !== undefined) report(latest);
  }, everyMs);
  try {
    return await work((progress) => {
      latest = progress;
    });
  } finally {
    clearInterval(timer);
  }
}
