import { useEffect, useState } from 'preact/hooks';

const TYPING_MS = 250;

/** The text once nothing was typed for a moment. */
export function useSettled(text: string, ms = TYPING_MS): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}
