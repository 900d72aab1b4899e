import { useEffect, useRef, useState } from 'preact/hooks';
import { AuthenticationError, errorText, RateLimitError } from '../api/errors.ts';
import { isCompleteKey } from '../api/key-checksum.ts';
import { isLocked, session, signIn } from '../api/session.ts';
import { address, BASE, navigate, pathOf } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Form } from '../ui/fields/form.tsx';
import { duration } from '../ui/format.ts';
import { Icon } from '../ui/icons/icon.tsx';
import { useNow } from '../ui/use-now.ts';
import { controlWords } from '../words/controls.ts';
import { sessionWords as words } from '../words/shell/session.ts';
import { Banner } from './banner.tsx';
import { Logo } from './logo.tsx';

export function SignIn() {
  const ref = useRef<HTMLElement>(null);
  // The browser honours `autofocus` once for each page, and this is not always its first form.
  useEffect(() => ref.current?.querySelector('input')?.focus(), []);
  useEffect(() => {
    document.title = controlWords.product;
    if (session.value && pathOf(address.value) === '/sign-in') navigate(BASE, { replace: true });
  }, [session.value]);
  return (
    <main ref={ref} class="sign-in">
      <Banner />
      <div class="card">
        <Logo size={44} />
        <h1>{controlWords.product}</h1>
        <p class="lead">{words.lead}</p>
        <SignInForm />
        <p class="promise">
          <Icon name="lock" />
          <span>{words.promise}</span>
        </p>
      </div>
    </main>
  );
}

/** Covers the screen whose session has ended. What was typed below stays. */
export function SignInOverlay() {
  return (
    <Dialog
      title={words.expiredTitle}
      subtitle={words.expired}
      onClose={() => {}}
      isPersistent
      isCover
    >
      <SignInForm />
    </Dialog>
  );
}

/** Covers a screen that was left alone. */
export function Locked() {
  return (
    <Dialog
      title={words.lockedTitle}
      subtitle={words.locked}
      onClose={() => {}}
      isPersistent
      isCover
    >
      <footer class="actions">
        <Button
          look="primary"
          onClick={() => {
            isLocked.value = false;
          }}
        >
          {words.unlock}
        </Button>
      </footer>
    </Dialog>
  );
}

function SignInForm() {
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(undefined);
  const [until, setUntil] = useState(0);
  const now = useNow(1_000, until > 0);
  const submit = async () => {
    if (isBusy) return;
    if (!isCompleteKey(key.trim())) return setFailure('mistyped');
    setBusy(true);
    setFailure(undefined);
    try {
      await signIn(key.trim());
      setKey('');
    } catch (err) {
      setFailure(err);
      setUntil(err instanceof RateLimitError ? Date.now() + err.retryAfterSeconds * 1000 : 0);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Form onSubmit={submit}>
      <TextField
        label={words.key}
        type="password"
        autocomplete="current-password"
        placeholder="psk_…"
        value={key}
        onInput={setKey}
        hint={words.keyHint}
        error={failure === undefined ? undefined : failureText(failure, until - now)}
        isCounting={until > 0}
        isFocused
      />
      <Button type="submit" look="primary" isBusy={isBusy}>
        {isBusy ? words.signingIn : words.signIn}
      </Button>
    </Form>
  );
}

function failureText(failure: unknown, waitMs: number): string {
  if (failure === 'mistyped') return words.mistyped;
  if (failure instanceof AuthenticationError) return words.unknown;
  if (failure instanceof RateLimitError) {
    if (waitMs <= 0) return words.over;
    const wait = duration(waitMs);
    return failure.code === 'key_banned' ? words.banned(wait) : words.tooMany(wait);
  }
  return errorText(failure);
}
