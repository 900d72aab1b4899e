import { useEffect, useRef, useState } from 'preact/hooks';

/** The time, again and again while the component is on the screen. */
export function useNow(everyMs = 30_000, isActive = true): number {
  const [now, setNow] = useState(() => Date.now());
  const isOld = useRef(false);
  useEffect(() => {
    // The time of the first rendering is good enough for its first frame.
    if (isActive && isOld.current) setNow(Date.now());
    isOld.current = true;
    if (!isActive) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isActive]);
  return now;
}
