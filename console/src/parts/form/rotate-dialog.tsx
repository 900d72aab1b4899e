import type { WriteOperation } from '@petstore/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useWrite } from '../../api/write.ts';
import { Choice } from '../../ui/fields/field.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

const OVERLAPS = ['0', '3600', '86400', '604800'] as const;

interface RotateDialogProps<Result> {
  title: string;
  action: string;
  text: string;
  /** What the choice is called, and its options. */
  overlap: string;
  overlaps: Record<(typeof OVERLAPS)[number], string>;
  operation: WriteOperation;
  path: string;
  send: (body: { overlapSeconds: number }, idempotencyKey: string) => PromiseLike<Result>;
  onDone: (result: Result) => void;
  goOn: (result: Result) => void;
  onClose: () => void;
  /** What this overlap means. */
  hintOf?: (overlapSeconds: number) => string;
  /** What else to know before. */
  children?: ComponentChildren;
}

/** Makes a new secret. The old one works on for as long as the user chooses. */
export function RotateDialog<Result>(props: RotateDialogProps<Result>) {
  const { title, action, text, overlap, overlaps, operation, path, hintOf, onClose } = props;
  const [seconds, setSeconds] = useState('86400');
  const body = { overlapSeconds: Number(seconds) };
  const { send, onDone, goOn } = props;
  const write = useWrite<typeof body, Result>({ operation, send, onDone, goOn });
  return (
    <ConfirmDialog
      title={title}
      action={action}
      look="primary"
      write={write}
      onConfirm={() => write.run(body)}
      onClose={onClose}
      curl={{ method: 'POST', path, body }}
    >
      <p>{text}</p>
      <div class="stack tight">
        <p class="strong">{overlap}</p>
        <Choice
          label={overlap}
          value={seconds}
          options={OVERLAPS.map((each) => [each, overlaps[each]] as const)}
          onChange={setSeconds}
        />
        {hintOf && <p class="hint">{hintOf(body.overlapSeconds)}</p>}
      </div>
      {props.children}
    </ConfirmDialog>
  );
}
