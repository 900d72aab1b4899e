import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { leaveQuestion } from '../ui/unsaved.ts';
import { controlWords as words } from '../words/controls.ts';

/** Asks once before unsaved input is left. */
export function LeaveDialog() {
  const question = leaveQuestion.value;
  if (!question) return null;
  const stay = () => {
    leaveQuestion.value = undefined;
  };
  return (
    <Dialog title={words.leaveTitle} onClose={stay}>
      <p>{words.leaveText}</p>
      <footer class="actions">
        <Button onClick={stay}>{words.stay}</Button>
        <Button look="danger" onClick={question.leave}>
          {words.leave}
        </Button>
      </footer>
    </Dialog>
  );
}
