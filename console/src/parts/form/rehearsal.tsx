import { useState } from 'preact/hooks';
import { AuthenticationError, errorText } from '../../api/errors.ts';
import { isPaused, pause, pauseOf, request } from '../../api/limits.ts';
import { noteSessionEnd } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons/icon.tsx';
import { controlWords } from '../../words/controls.ts';
import { rehearsalWords as words } from '../../words/rehearsal.ts';

export interface Rehearsal {
  /** Absent until it was run with the content that is on the screen. */
  outcome: { isFine: boolean; text: string } | undefined;
  isBusy: boolean;
  run: () => void;
}

interface RehearsalOptions<T> {
  /** Sends the write as a dry run. */
  send: () => PromiseLike<T>;
  /** What is said when the service would have done it, if there is more to say than that. */
  fine?: string | ((result: T) => string);
  /** What would be sent. An outcome is shown only beside the input that it belongs to. */
  content: unknown;
}

/** Asks the service what a write would do. It decides as in earnest and keeps nothing; it costs a request. */
export function useRehearsal<T>({
  send,
  fine = words.fine,
  content,
}: RehearsalOptions<T>): Rehearsal {
  const [last, setLast] = useState({ content: '', isFine: false, text: '' });
  const [isBusy, setBusy] = useState(false);
  const current = JSON.stringify(content);
  const run = async () => {
    setBusy(true);
    try {
      const result = await request(send);
      const text = typeof fine === 'string' ? fine : fine(result);
      setLast({ content: current, isFine: true, text });
    } catch (err) {
      noteSessionEnd(err);
      // The session's end says nothing about the write, and neither does a limit or a service that is away.
      if (err instanceof AuthenticationError) return;
      const text = pauseOf(err) ? errorText(err) : words.refused(errorText(err));
      setLast({ content: current, isFine: false, text });
    } finally {
      setBusy(false);
    }
  };
  return {
    outcome: last.content === current ? last : undefined,
    isBusy,
    run: () => void run(),
  };
}

export function RehearseButton({ rehearsal }: { rehearsal: Rehearsal }) {
  return (
    <Button
      icon="play"
      isBusy={rehearsal.isBusy}
      offReason={isPaused.value ? controlWords.waiting[pause.value!.kind] : undefined}
      onClick={rehearsal.run}
    >
      {rehearsal.isBusy ? words.busy : words.rehearse}
    </Button>
  );
}

export function RehearsalOutcome({ rehearsal: { outcome } }: { rehearsal: Rehearsal }) {
  return (
    <div role="status" class="live">
      {outcome && (
        <p class={`notice ${outcome.isFine ? 'good' : 'warn'}`}>
          <Icon name={outcome.isFine ? 'circle-check' : 'triangle-alert'} />
          <span>{outcome.text}</span>
        </p>
      )}
    </div>
  );
}
