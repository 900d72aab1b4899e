import { useState } from 'preact/hooks';
import { isPaused, minuteWindow } from '../../../api/limits.ts';
import { noteSessionEnd, scopeReason } from '../../../api/session.ts';
import { WriteState } from '../../../parts/form/write-state.tsx';
import { BASE, navigate } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { say } from '../../../ui/say.ts';
import { controlWords } from '../../../words/controls.ts';
import { sampleWords as words } from '../../../words/overview.ts';
import { keepRun, keptRun } from './kept-run.ts';
import { fillWithSample, SAMPLE_REQUESTS } from './sample-run.ts';

/** Fills an empty store. It says before what that costs, and goes on where it stopped. */
export function SampleDialog() {
  const [done, setDone] = useState(() => keptRun()?.done ?? 0);
  const [hasBegun, setBegun] = useState(() => keptRun() !== undefined);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const close = () => navigate(BASE, { replace: true });
  const run = async () => {
    setSending(true);
    setError(undefined);
    try {
      await fillWithSample(setDone);
      say(words.done);
      close();
    } catch (err) {
      noteSessionEnd(err);
      setError(err);
      setBegun(true);
    } finally {
      setSending(false);
    }
  };
  return (
    <Dialog title={words.title} onClose={close}>
      <p>{words.text}</p>
      <p>{hasBegun ? words.costsMore(SAMPLE_REQUESTS - done) : words.costs(SAMPLE_REQUESTS)}</p>
      {minuteWindow.value && <p class="hint">{words.left(minuteWindow.value.remaining)}</p>}
      {(isSending || hasBegun) && (
        <>
          <progress value={done} max={SAMPLE_REQUESTS} aria-label={words.title} />
          <p role="status">{words.progress(done, SAMPLE_REQUESTS, isSending && isPaused.value)}</p>
        </>
      )}
      <WriteState write={{ state: 'idle', error, takeBack: () => {}, reset: () => {} }} />
      <footer class="actions" data-sending={isSending || undefined}>
        <Button
          isBusy={isSending}
          onClick={() => {
            if (hasBegun) keepRun(undefined);
            close();
          }}
        >
          {hasBegun ? words.leave : controlWords.cancel}
        </Button>
        <Button
          look="primary"
          isBusy={isSending}
          offReason={scopeReason('write')}
          onClick={() => void run()}
        >
          {hasBegun ? words.goOn : words.action}
        </Button>
      </footer>
    </Dialog>
  );
}
