import { useEffect, useRef, useState } from 'preact/hooks';

/** The time, again and again while the component is on the screen and the time matters. */
export function useNow(everyMs = 30_000, isActive = true): number {
  const [now, setNow] = useState(() => Date.now());
  // What was read long before the time began to matter must not be shown, not even for one frame.
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
