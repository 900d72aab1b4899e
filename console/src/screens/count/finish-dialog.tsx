import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { countWords as words } from '../../words/count.ts';
import { totals } from './counting.ts';

interface FinishDialogProps {
  onFinish: () => void;
  onReview: () => void;
  onClose: () => void;
}

/** Closes the list. What is not sent yet can be sent first. */
export function FinishDialog({ onFinish, onReview, onClose }: FinishDialogProps) {
  const { different, ready, wrong } = totals.value;
  const unsent = different + wrong;
  return (
    <Dialog title={words.finishTitle} onClose={onClose}>
      <p>{words.finishText(unsent)}</p>
      <footer class="actions">
        <Button onClick={onClose}>{words.goOn}</Button>
        <Button look={unsent === 0 ? 'primary' : 'danger'} onClick={onFinish}>
          {unsent === 0 ? words.finish : words.discard}
        </Button>
        {ready > 0 && (
          <Button look="primary" onClick={onReview}>
            {words.review}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}
