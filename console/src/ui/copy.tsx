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
        try {
          await write(text);
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

/** Writes the clipboard. Throws if the browser denies it. */
async function write(text: string): Promise<void> {
  // A page over plain http of another machine has no clipboard. It can still answer a copy command.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard) return clipboard.writeText(text);
  const fill = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', fill);
  const isDone = document.execCommand('copy');
  document.removeEventListener('copy', fill);
  if (!isDone) throw new Error('denied');
}
