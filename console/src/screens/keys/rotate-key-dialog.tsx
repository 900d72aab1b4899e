import type { Key, Rotation } from '@petstore/client';
import { useState } from 'preact/hooks';
import { invalidate } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Choice } from '../../ui/fields/field.tsx';
import { dateTime } from '../../ui/format.ts';
import { say } from '../../ui/toast.tsx';
import { useNow } from '../../ui/use-now.ts';
import { keyWords as words } from '../../words/keys.ts';

const OVERLAPS = ['0', '3600', '86400', '604800'] as const;

export interface RotateKeyDialogProps {
  apiKey: Key;
  /** Whether this session was opened with it. */
  isOwn: boolean;
  onDone: (key: Key) => void;
  onClose: () => void;
}

export function RotateKeyDialog({ apiKey, isOwn, onDone, onClose }: RotateKeyDialogProps) {
  const now = useNow();
  const [overlap, setOverlap] = useState('86400');
  const write = useWrite<Rotation, Key>({
    send: (body, idempotencyKey) => store.keys.rotate(apiKey.id, body, { idempotencyKey }),
    onDone: (key) => {
      say(words.rotated(key.name));
      invalidate('listKeys');
      onDone(key);
    },
  });
  const body = { overlapSeconds: Number(overlap) };
  const end = Math.min(
    now + body.overlapSeconds * 1000,
    Date.parse(apiKey.expiresAt ?? '') || Number.POSITIVE_INFINITY,
  );
  return (
    <ConfirmDialog
      title={words.rotateTitle(apiKey.name)}
      action={words.rotateAction}
      look="primary"
      write={write}
      onConfirm={() => write.run(body)}
      onClose={onClose}
      curl={{ method: 'POST', path: `/keys/${apiKey.id}/rotate`, body }}
    >
      <p>{words.rotateText}</p>
      <div class="stack tight">
        <p class="strong">{words.overlap}</p>
        <Choice
          label={words.overlap}
          value={overlap}
          options={OVERLAPS.map((each) => [each, words.overlaps[each]] as const)}
          onChange={setOverlap}
        />
        <p class="hint">
          {body.overlapSeconds === 0 ? words.rotateNow : words.rotateUntil(dateTime(end))}
        </p>
      </div>
      {isOwn && <p class="notice warn">{words.rotateSession}</p>}
    </ConfirmDialog>
  );
}
