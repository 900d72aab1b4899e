import type { WithResponse, Workspace } from '@petstore/client';
import { useEffect, useState } from 'preact/hooks';
import { invalidate } from '../../api/query.ts';
import { loadSession, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { EditForm } from '../../parts/edit/edit-form.tsx';
import { useEdit } from '../../parts/edit/use-edit.ts';
import { Card } from '../../ui/card.tsx';
import { say } from '../../ui/toast.tsx';
import { limitWords } from '../../words/shell/limits.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';
import {
  bodyOf,
  faultsOf,
  inputOf,
  WorkspaceFields,
  type WorkspaceInput,
} from './workspace-form.tsx';

/** Name, plan and limits. */
export function EditWorkspace({ opened }: { opened: WithResponse<Workspace> }) {
  const { id } = opened.data;
  const [isChecked, setChecked] = useState(false);
  const edit = useEdit({
    opened,
    draftOf: inputOf,
    bodyOf,
    textsOf,
    read: () => store.admin.getWorkspace(id).withResponse(),
    send: (body, options) => store.admin.updateWorkspace(id, body, options).withResponse(),
    onDone: (saved) => {
      say(words.saved(saved.data.name));
      begin(saved);
      invalidate('adminGetWorkspace', 'adminListWorkspaces');
      // The own workspace: its limits are everywhere on the screen.
      if (id === session.value?.workspaceId) {
        void loadSession();
        invalidate('getUsage', 'getUsageAdvice', 'getWorkspace');
      }
    },
  });
  const { draft, setDraft, offReason, write, run, begin } = edit;
  // The record was read again. What was typed and not saved stays.
  useEffect(() => {
    if (offReason) begin(opened);
  }, [opened.etag]);
  const submit = () => {
    setChecked(true);
    const isGood = Object.values(faultsOf(draft)).every((fault) => fault === undefined);
    if (isGood) run();
  };
  return (
    <Card title={words.editTitle} subtitle={words.effect}>
      <EditForm
        edit={edit}
        path={`/admin/workspaces/${id}`}
        action={words.save}
        onSubmit={submit}
        onLetGo={() => {
          begin();
          write.reset();
          invalidate('adminGetWorkspace');
        }}
      >
        <WorkspaceFields input={draft} onChange={setDraft} isChecked={isChecked} />
      </EditForm>
    </Card>
  );
}

function textsOf({ name, plan, perMinute, perDay }: WorkspaceInput) {
  return {
    [words.name]: name,
    [words.plan]: limitWords.plans[plan] ?? plan,
    [words.perMinute]: perMinute,
    [words.perDay]: perDay,
  };
}
