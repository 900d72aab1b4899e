import type { WithResponse, Workspace } from '@petstore/client';
import { useEffect } from 'preact/hooks';
import { invalidate } from '../../api/query.ts';
import { loadSession, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useEdit } from '../../parts/form/use-edit.ts';
import { Card } from '../../ui/card.tsx';
import { say } from '../../ui/say.ts';
import { limitWords } from '../../words/shell/limits.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';
import {
  bodyOf,
  draftOf,
  errorsOf,
  type WorkspaceDraft,
  WorkspaceFields,
} from './workspace-form.tsx';

/** Name, plan and limits. */
export function EditWorkspace({ opened }: { opened: WithResponse<Workspace> }) {
  const { id } = opened.data;
  const edit = useEdit({
    operation: 'adminUpdateWorkspace',
    opened,
    draftOf,
    errorsOf,
    bodyOf,
    textsOf,
    read: () => store.admin.getWorkspace(id).withResponse(),
    send: (body, options) => store.admin.updateWorkspace(id, body, options).withResponse(),
    onDone: (saved) => {
      say(words.saved(saved.data.name));
      begin(saved);
      // The own workspace: its limits are everywhere on the screen.
      if (id === session.value?.workspaceId) void loadSession();
    },
  });
  const { isChanged, begin } = edit;
  // The record was read again. What was typed and not saved stays.
  useEffect(() => {
    if (!isChanged) begin(opened);
  }, [opened.etag]);
  return (
    <Card title={words.editTitle} subtitle={words.effect}>
      <FormView
        form={edit}
        method="PATCH"
        path={`/admin/workspaces/${id}`}
        action={words.save}
        onDiscard={() => {
          begin();
          invalidate('adminGetWorkspace');
        }}
      >
        <WorkspaceFields {...edit} />
      </FormView>
    </Card>
  );
}

function textsOf({ name, plan, perMinute, perDay }: WorkspaceDraft) {
  return {
    [words.name]: name,
    [words.plan]: limitWords.plans[plan] ?? plan,
    [words.perMinute]: perMinute,
    [words.perDay]: perDay,
  };
}
