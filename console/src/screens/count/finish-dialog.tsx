import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { countWords as words } from '../../words/count.ts';
import { totals } from './counting.ts';

/** Closes the list. It says what would be lost. */
export function FinishDialog({ onFinish, onClose }: { onFinish: () => void; onClose: () => void }) {
  const { different } = totals.value;
  return (
    <Dialog title={words.finishTitle} onClose={onClose}>
      <p>{words.finishText(different)}</p>
      <footer class="actions">
        <Button onClick={onClose}>{words.goOn}</Button>
        <Button look={different === 0 ? 'primary' : 'danger'} onClick={onFinish}>
          {words.finish}
        </Button>
      </footer>
    </Dialog>
  );
}
