import type { WithResponse, Workspace } from '@petstore/client';
import { useEffect } from 'preact/hooks';
import { invalidate } from '../../api/query.ts';
import { loadSession, scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useEdit } from '../../parts/form/use-edit.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { say } from '../../ui/say.ts';
import { settingsWords as words } from '../../words/account/settings.ts';
import { controlWords } from '../../words/controls.ts';

interface StoreDraft {
  name: string;
  /** Empty: no threshold. */
  lowStockAt: string;
}

const UNITS_MAX = 1_000_000;

const draftOf = ({ name, lowStockAt }: Workspace): StoreDraft => ({
  name,
  lowStockAt: lowStockAt === undefined ? '' : String(lowStockAt),
});

const bodyOf = ({ name, lowStockAt }: StoreDraft) => ({
  name: name.trim(),
  lowStockAt: lowStockAt === '' ? null : Number(lowStockAt),
});

const errorsOf = ({ name, lowStockAt }: StoreDraft) => ({
  name: name.trim() === '' ? words.needsName : undefined,
  lowStockAt:
    /^\d{0,7}$/.test(lowStockAt) && Number(lowStockAt) <= UNITS_MAX ? undefined : words.needsUnits,
});

const textsOf = ({ name, lowStockAt }: StoreDraft) => ({
  [words.name]: name,
  [words.lowStockAt]: lowStockAt || controlWords.none,
});

/** The name of the store and its threshold of low stock. */
export function StoreForm({ opened }: { opened: WithResponse<Workspace> }) {
  const edit = useEdit({
    operation: 'updateWorkspace',
    opened,
    draftOf,
    errorsOf,
    bodyOf,
    textsOf,
    read: () => store.workspace.get().withResponse(),
    send: (body, options) => store.workspace.update(body, options).withResponse(),
    onDone: (saved) => {
      say(words.saved);
      begin(saved);
      // The name and the threshold are those of the session everywhere on the screen.
      void loadSession();
    },
  });
  const { draft, errors, set, isChanged, begin } = edit;
  // The record was read again. What was typed and not saved stays.
  useEffect(() => {
    if (!isChanged) begin(opened);
  }, [opened.etag]);
  return (
    <FormView
      form={edit}
      method="PATCH"
      path="/workspace"
      offReason={scopeReason('manage')}
      onDiscard={() => {
        begin();
        invalidate('getWorkspace');
      }}
    >
      <TextField
        label={words.name}
        value={draft.name}
        onInput={(name) => set({ name })}
        maxLength={200}
        error={errors.name}
      />
      <TextField
        label={words.lowStockAt}
        hint={words.lowStockHint}
        inputMode="numeric"
        isOptional
        value={draft.lowStockAt}
        onInput={(text) => set({ lowStockAt: text.trim() })}
        error={errors.lowStockAt}
      />
    </FormView>
  );
}
