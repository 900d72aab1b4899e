import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { secretWords as words } from '../words/secret.ts';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { Icon } from './icons/icon.tsx';
import { holdUnsaved, isSecretShown } from './unsaved.ts';

interface SecretDialogProps {
  title: string;
  subtitle?: string;
  /** What the secret is: "API key". */
  label: string;
  /** Absent when the response was lost: a repeated request answers without it. */
  secret: string | undefined;
  /** What to do when it is absent. */
  lost: string;
  onClose: () => void;
  children?: ComponentChildren;
}

/** Shows a secret once. Only its button closes it without a question, and nothing keeps the secret after that. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, subtitle, label, secret, lost, onClose, children } = props;
  useLayoutEffect(() => {
    if (secret === undefined) return;
    const release = holdUnsaved();
    isSecretShown.value = true;
    return () => {
      isSecretShown.value = false;
      release();
    };
  }, []);
  return (
    <Dialog title={title} subtitle={subtitle} onClose={onClose} isPersistent>
      {secret === undefined ? (
        <p class="notice warn" role="alert">
          <Icon name="triangle-alert" />
          <span>{lost}</span>
        </p>
      ) : (
        <>
          <p class="notice warn">
            <Icon name="triangle-alert" />
            <span>{words.once}</span>
          </p>
          <div class="secret">
            <span class="small muted">{label}</span>
            <code>{secret}</code>
            <Copy text={secret} />
          </div>
        </>
      )}
      {children}
      <footer class="actions">
        <Button look="primary" onClick={onClose}>
          {secret === undefined ? words.close : words.stored}
        </Button>
      </footer>
    </Dialog>
  );
}
