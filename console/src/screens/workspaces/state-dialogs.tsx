import type { Workspace } from '@petstore/client';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useForm } from '../../parts/form/use-form.ts';
import { isTypedName } from '../../parts/name-words.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { say } from '../../ui/say.ts';
import { workspaceStateWords as words } from '../../words/account/workspace-state.ts';

interface StateDialogProps {
  workspace: Workspace;
  onClose: () => void;
}

const REASON_MAX = 500;
const GRACE_DAYS_MAX = 365;

export function SuspendDialog({ workspace: { id, name }, onClose }: StateDialogProps) {
  const form = useForm({
    operation: 'adminSuspendWorkspace',
    first: { reason: '' },
    errorsOf: ({ reason }) => ({ reason: reason.trim() === '' ? words.needsReason : undefined }),
    bodyOf: ({ reason }) => ({ reason: reason.trim() }),
    send: (body, idempotencyKey) => store.admin.suspendWorkspace(id, body, { idempotencyKey }),
    onDone: () => say(words.suspended(name)),
    goOn: onClose,
  });
  return (
    <Dialog title={words.suspendTitle(name)} onClose={onClose}>
      <FormView
        form={form}
        path={`/admin/workspaces/${id}/suspend`}
        action={words.suspend}
        look="danger"
        onClose={onClose}
      >
        <p>{words.suspendText}</p>
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          value={form.draft.reason}
          onInput={(reason) => form.set({ reason })}
          maxLength={REASON_MAX}
          error={form.errors.reason}
        />
      </FormView>
    </Dialog>
  );
}

const isGrace = (text: string) => /^\d{1,3}$/.test(text) && Number(text) <= GRACE_DAYS_MAX;

export function CloseDialog({ workspace: { id, name }, onClose }: StateDialogProps) {
  const form = useForm({
    operation: 'adminCloseWorkspace',
    first: { name: '', graceDays: '30', reason: '' },
    checkedLate: ['name'],
    errorsOf: (draft) => ({
      name: isTypedName(draft.name, name) ? undefined : words.needsName(name),
      graceDays: isGrace(draft.graceDays) ? undefined : words.needsDays,
    }),
    bodyOf: (draft) => ({
      name,
      graceDays: Number(draft.graceDays),
      ...(draft.reason.trim() !== '' && { reason: draft.reason.trim() }),
    }),
    send: (body, idempotencyKey) => store.admin.closeWorkspace(id, body, { idempotencyKey }),
    onDone: () => say(words.closed(name)),
    goOn: onClose,
  });
  const { draft, errors, set } = form;
  return (
    <Dialog title={words.closeTitle(name)} onClose={onClose}>
      <FormView
        form={form}
        path={`/admin/workspaces/${id}/close`}
        action={words.close}
        look="danger"
        onClose={onClose}
      >
        <p>{words.closeText}</p>
        <TextField
          label={words.graceDays}
          hint={words.graceHint}
          inputMode="numeric"
          value={draft.graceDays}
          onInput={(text) => set({ graceDays: text.trim() })}
          error={errors.graceDays}
        />
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          isOptional
          value={draft.reason}
          onInput={(reason) => set({ reason })}
          maxLength={REASON_MAX}
        />
        <TextField
          label={words.typeName(name)}
          value={draft.name}
          onInput={(text) => set({ name: text })}
          error={errors.name}
        />
      </FormView>
    </Dialog>
  );
}
