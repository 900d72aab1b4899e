import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { WriteStatus } from '../../api/write.ts';
import { Button } from '../../ui/button.tsx';
import { AsCurl, type CurlProps } from '../../ui/curl.tsx';
import { controlWords as words } from '../../words/controls.ts';
import { type Rehearsal, RehearsalOutcome } from './rehearsal.tsx';
import { useUnsaved } from './use-unsaved.ts';
import { WriteState } from './write-state.tsx';

export interface FormFooterProps {
  write: WriteStatus;
  /** What the form sends. */
  curl: CurlProps;
  /** Whether the input is nothing that could be sent. */
  isCurlOff?: boolean;
  /** What the button does that sends it. */
  action: string;
  look?: 'primary' | 'danger';
  offReason?: string | undefined;
  /** Whether a conflict is shown, which says more than the error and waits for a decision. */
  isConflict?: boolean;
  rehearsal?: Rehearsal;
  onClose?: () => void;
  /** What the button says that closes the form. */
  cancel?: string;
  /** Buttons between. */
  children?: ComponentChildren;
}

/** The end of a form: what became of the write, the same as a command, and the buttons. */
export function FormFooter(props: FormFooterProps) {
  const { write, curl, action, look = 'primary', offReason, isConflict, rehearsal } = props;
  const isSending = write.state === 'sending';
  useKept(write, curl.body);
  return (
    <>
      {!isConflict && <WriteState write={write} />}
      {rehearsal && <RehearsalOutcome rehearsal={rehearsal} />}
      <AsCurl {...curl} isOff={props.isCurlOff} />
      <footer class="actions" data-sending={isSending || undefined}>
        {props.onClose && (
          <Button isBusy={isSending} onClick={props.onClose}>
            {props.cancel ?? words.cancel}
          </Button>
        )}
        {props.children}
        <Button
          type="submit"
          look={look}
          offReason={offReason}
          isBusy={write.state !== 'idle' || isConflict === true}
        >
          {isSending ? words.saving : action}
        </Button>
      </footer>
    </>
  );
}

/** While the write of a form is kept, leaving the form asks, and other content takes it back: it is not what would be sent. */
export function useKept({ state, takeBack }: WriteStatus, content: unknown): void {
  useUnsaved(state === 'kept');
  useEffect(() => takeBack, [JSON.stringify(content)]);
}
