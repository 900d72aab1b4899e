import type { Key } from '@petstore/client';
import { store } from '../../api/store.ts';
import { RotateDialog } from '../../parts/form/rotate-dialog.tsx';
import { dateTime } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import { keyWords as words } from '../../words/keys.ts';

interface RotateKeyDialogProps {
  apiKey: Key;
  /** Whether this session was opened with it. */
  isOwn: boolean;
  onDone: (key: Key) => void;
  onClose: () => void;
}

export function RotateKeyDialog({ apiKey, isOwn, onDone, onClose }: RotateKeyDialogProps) {
  const now = useNow();
  const { id, name, expiresAt } = apiKey;
  const endOf = (overlapSeconds: number) =>
    Math.min(now + overlapSeconds * 1000, Date.parse(expiresAt ?? '') || Number.POSITIVE_INFINITY);
  return (
    <RotateDialog
      title={words.rotateTitle(name)}
      action={words.rotateAction}
      text={words.rotateText}
      overlap={words.overlap}
      overlaps={words.overlaps}
      operation="rotateKey"
      path={`/keys/${id}/rotate`}
      send={(body, idempotencyKey) => store.keys.rotate(id, body, { idempotencyKey })}
      onDone={(key) => say(words.rotated(key.name))}
      goOn={onDone}
      onClose={onClose}
      hintOf={(seconds) =>
        seconds === 0 ? words.rotateNow : words.rotateUntil(dateTime(endOf(seconds)))
      }
    >
      {isOwn && <p class="notice warn">{words.rotateSession}</p>}
    </RotateDialog>
  );
}
