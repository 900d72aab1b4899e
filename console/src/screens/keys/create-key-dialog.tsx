import type { Key, NewKey } from '@petstore/client';
import { useState } from 'preact/hooks';
import { invalidate } from '../../api/query.ts';
import { type Scope, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { FormFooter } from '../../parts/form-footer.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { say } from '../../ui/toast.tsx';
import { keyWords as words } from '../../words/keys.ts';
import { ScopeChecks } from './scope-checks.tsx';

const DAY_MS = 86_400_000;
const ENDINGS = ['never', '30', '90', '365', 'other'] as const;

export interface CreateKeyDialogProps {
  onDone: (key: Key) => void;
  onClose: () => void;
}

export function CreateKeyDialog({ onDone, onClose }: CreateKeyDialogProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(
    session.value!.scopes.filter((scope) => scope === 'read'),
  );
  const [ending, setEnding] = useState('never');
  const [endAt, setEndAt] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [openedAt] = useState(() => Date.now());
  const write = useWrite<NewKey, Key>({
    send: (body, idempotencyKey) => store.keys.create(body, { idempotencyKey }),
    onDone: (key) => {
      say(words.created(key.name));
      invalidate('listKeys');
      onDone(key);
    },
  });
  useUnsaved(name !== '');
  const expiresAt = endingAt(ending, endAt, openedAt);
  const errors = {
    name: name.trim() === '' ? words.needsName : undefined,
    scopes: scopes.length === 0 ? words.needsScopes : undefined,
    end:
      ending === 'other' && !(Date.parse(expiresAt ?? '') > openedAt)
        ? words.needsFuture
        : undefined,
  };
  const body: NewKey = {
    name: name.trim(),
    scopes,
    expiresAt,
  };
  const submit = () => {
    setChecked(true);
    if (Object.values(errors).every((error) => error === undefined)) write.run(body);
  };
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          value={name}
          onInput={setName}
          maxLength={200}
          error={isChecked ? errors.name : undefined}
          isFocused
        />
        <ScopeChecks
          chosen={scopes}
          onChange={setScopes}
          error={isChecked ? errors.scopes : undefined}
        />
        <SelectField
          label={words.end}
          value={ending}
          options={ENDINGS.map((each) => [each, words.endings[each]] as const)}
          onChange={setEnding}
        />
        {ending === 'other' && (
          <TextField
            label={words.endAt}
            type="datetime-local"
            value={endAt}
            onInput={setEndAt}
            error={isChecked ? errors.end : undefined}
          />
        )}
        <FormFooter
          write={write}
          curl={{ method: 'POST', path: '/keys', body }}
          action={words.create}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

/** When the key ends. Counted from when the dialog was opened, so that a second click sends the same. */
export function endingAt(ending: string, endAt: string, openedAt: number): string | undefined {
  if (ending === 'never') return undefined;
  const at = ending === 'other' ? Date.parse(endAt) : openedAt + Number(ending) * DAY_MS;
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
