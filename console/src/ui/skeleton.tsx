import { useEffect, useState } from 'preact/hooks';
import { controlWords as words } from '../words/controls.ts';

const DELAY_MS = 150;

/** Grey lines of the height of what is coming. They show after a moment, so that fast answers do not flicker. */
export function Skeleton({ rows = 5 }: { rows?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={`skeleton${isShown ? ' shown' : ''}`} role="status" aria-label={words.loading}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}
