import type { Key, NewKey } from '@petstore/client';
import { useState } from 'preact/hooks';
import { type Scope, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useForm } from '../../parts/form/use-form.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { say } from '../../ui/say.ts';
import { keyWords as words } from '../../words/keys.ts';
import { ScopeChecks } from './scope-checks.tsx';

const DAY_MS = 86_400_000;
const ENDINGS = ['never', '30', '90', '365', 'other'] as const;

interface CreateKeyDialogProps {
  onDone: (key: Key) => void;
  onClose: () => void;
}

interface KeyDraft {
  name: string;
  scopes: readonly Scope[];
  ending: string;
  endAt: string;
}

export function CreateKeyDialog({ onDone, onClose }: CreateKeyDialogProps) {
  const [openedAt] = useState(() => Date.now());
  const first: KeyDraft = {
    name: '',
    scopes: session.value!.scopes.filter((scope) => scope === 'read'),
    ending: 'never',
    endAt: '',
  };
  const form = useForm({
    operation: 'createKey',
    first,
    checkedLate: ['endAt'],
    errorsOf: ({ name, scopes, ending, endAt }) => ({
      name: name.trim() === '' ? words.needsName : undefined,
      scopes: scopes.length === 0 ? words.needsScopes : undefined,
      endAt: ending === 'other' && !(Date.parse(endAt) > openedAt) ? words.needsFuture : undefined,
    }),
    bodyOf: ({ name, scopes, ending, endAt }): NewKey => ({
      name: name.trim(),
      scopes,
      expiresAt: endingAt(ending, endAt, openedAt),
    }),
    send: (body, idempotencyKey) => store.keys.create(body, { idempotencyKey }),
    onDone: (key) => say(words.created(key.name)),
    goOn: onDone,
  });
  const { draft, errors, set } = form;
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <FormView form={form} path="/keys" action={words.create} onClose={onClose}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          value={draft.name}
          onInput={(name) => set({ name })}
          maxLength={200}
          error={errors.name}
          isFocused
        />
        <ScopeChecks
          chosen={draft.scopes}
          onChange={(scopes) => set({ scopes })}
          error={errors.scopes}
        />
        <SelectField
          label={words.end}
          value={draft.ending}
          options={ENDINGS.map((each) => [each, words.endings[each]] as const)}
          onChange={(ending) => set({ ending })}
        />
        {draft.ending === 'other' && (
          <TextField
            label={words.endAt}
            type="datetime-local"
            value={draft.endAt}
            onInput={(endAt) => set({ endAt })}
            error={errors.endAt}
          />
        )}
      </FormView>
    </Dialog>
  );
}

/** When the key ends. Counted from when the dialog was opened, so that a second click sends the same. */
function endingAt(ending: string, endAt: string, openedAt: number): string | undefined {
  if (ending === 'never') return undefined;
  const at = ending === 'other' ? Date.parse(endAt) : openedAt + Number(ending) * DAY_MS;
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
