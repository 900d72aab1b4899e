import type { NewWorkspace, WorkspaceWithKey } from '@petstore/client';
import { useState } from 'preact/hooks';
import { invalidate } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { FormFooter } from '../../parts/form-footer.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { say } from '../../ui/toast.tsx';
import { workspaceWords as words } from '../../words/workspaces.ts';
import { bodyOf, faultsOf, inputOf, WorkspaceFields } from './workspace-form.tsx';

export interface CreateWorkspaceDialogProps {
  onDone: (created: WorkspaceWithKey) => void;
  onClose: () => void;
}

export function CreateWorkspaceDialog({ onDone, onClose }: CreateWorkspaceDialogProps) {
  const [input, setInput] = useState(() => inputOf());
  const [isChecked, setChecked] = useState(false);
  const write = useWrite<NewWorkspace, WorkspaceWithKey>({
    send: (body, idempotencyKey) => store.admin.createWorkspace(body, { idempotencyKey }),
    onDone: (created) => {
      say(words.created(created.workspace.name));
      invalidate('adminListWorkspaces');
      onDone(created);
    },
  });
  useUnsaved(input.name !== '');
  const body = bodyOf(input);
  const submit = () => {
    setChecked(true);
    if (Object.values(faultsOf(input)).every((fault) => fault === undefined)) write.run(body);
  };
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        <WorkspaceFields input={input} onChange={setInput} isChecked={isChecked} />
        <FormFooter
          write={write}
          curl={{ method: 'POST', path: '/admin/workspaces', body }}
          action={words.create}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
