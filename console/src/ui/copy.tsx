import { useState } from 'preact/hooks';
import { controlWords as words } from '../words/controls.ts';
import { Button } from './button.tsx';
import { say } from './say.ts';

/** Copies a text, and says so. */
export function Copy({ text, label = words.copy }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Button
      icon={isCopied ? 'check' : 'copy'}
      size="small"
      onClick={async () => {
        // Browsers have no clipboard on a page over plain http of another machine, and may deny it.
        try {
          await navigator.clipboard.writeText(text);
        } catch {
          return say(words.notCopied, { tone: 'bad' });
        }
        setCopied(true);
        setTimeout(() => setCopied(false), 2_000);
      }}
    >
      <span aria-live="polite">{isCopied ? words.copied : label}</span>
    </Button>
  );
}
