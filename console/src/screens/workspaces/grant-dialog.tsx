import type { Workspace } from '@petstore/client';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useForm } from '../../parts/form/use-form.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { say } from '../../ui/say.ts';
import { workspaceStateWords } from '../../words/account/workspace-state.ts';
import { workspaceWords } from '../../words/workspaces.ts';
import { isLimit } from './workspace-form.tsx';

const words = workspaceWords.grant;
const REASON_MAX = 500;

/** Requests on top of the daily limit, for this UTC day. */
export function GrantDialog({
  workspace: { id, name },
  onClose,
}: {
  workspace: Workspace;
  onClose: () => void;
}) {
  const form = useForm({
    operation: 'adminAddGrant',
    first: { perDay: '', reason: '' },
    errorsOf: ({ perDay, reason }) => ({
      perDay: isLimit(perDay) ? undefined : workspaceWords.needsLimit,
      reason: reason.trim() === '' ? workspaceStateWords.needsReason : undefined,
    }),
    bodyOf: ({ perDay, reason }) => ({ perDay: Number(perDay), reason: reason.trim() }),
    send: (body, idempotencyKey) => store.admin.addGrant(id, body, { idempotencyKey }),
    onDone: (_, { perDay }) => say(words.added(perDay, name)),
    goOn: onClose,
  });
  const { draft, errors, set } = form;
  return (
    <Dialog title={words.title(name)} onClose={onClose}>
      <FormView
        form={form}
        path={`/admin/workspaces/${id}/grants`}
        action={words.add}
        onClose={onClose}
      >
        <p>{words.text}</p>
        <TextField
          label={words.perDay}
          hint={workspaceWords.limitsHint}
          inputMode="numeric"
          value={draft.perDay}
          onInput={(text) => set({ perDay: text.trim() })}
          error={errors.perDay}
        />
        <TextField
          label={workspaceStateWords.reason}
          hint={workspaceStateWords.reasonHint}
          value={draft.reason}
          onInput={(reason) => set({ reason })}
          maxLength={REASON_MAX}
          error={errors.reason}
        />
      </FormView>
    </Dialog>
  );
}
