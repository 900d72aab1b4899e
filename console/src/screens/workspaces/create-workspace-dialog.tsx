import type { WorkspaceWithKey } from '@petstore/client';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useForm } from '../../parts/form/use-form.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/say.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';
import { bodyOf, draftOf, errorsOf, WorkspaceFields } from './workspace-form.tsx';

interface CreateWorkspaceDialogProps {
  onDone: (created: WorkspaceWithKey) => void;
  onClose: () => void;
}

export function CreateWorkspaceDialog({ onDone, onClose }: CreateWorkspaceDialogProps) {
  const form = useForm({
    operation: 'adminCreateWorkspace',
    first: draftOf(),
    errorsOf,
    bodyOf,
    send: (body, idempotencyKey) => store.admin.createWorkspace(body, { idempotencyKey }),
    onDone: (created) => say(words.created(created.workspace.name)),
    goOn: onDone,
  });
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <FormView form={form} path="/admin/workspaces" action={words.create} onClose={onClose}>
        <WorkspaceFields {...form} />
      </FormView>
    </Dialog>
  );
}
