import { useEffect, useRef, useState } from 'preact/hooks';

/** The current time, updated while `isActive`. */
export function useNow(everyMs = 30_000, isActive = true): number {
  const [now, setNow] = useState(() => Date.now());
  // The state is old when `isActive` becomes true. The first frame must not show it.
  const activeSince = useRef(now);
  if (!isActive) activeSince.current = 0;
  else activeSince.current ||= Date.now();
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isActive]);
  return Math.max(now, activeSince.current);
}
