import type { AdminWorkspacePatch, WithResponse, Workspace } from '@petstore/client';
import { useEffect, useState } from 'preact/hooks';
import { PreconditionError } from '../../api/errors.ts';
import { observed } from '../../api/limits.ts';
import { invalidate } from '../../api/query.ts';
import { loadSession, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { Conflict } from '../../parts/conflict.tsx';
import { FormFooter } from '../../parts/form-footer.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Card } from '../../ui/card.tsx';
import { Form } from '../../ui/fields/form.tsx';
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

interface Change {
  body: AdminWorkspacePatch;
  etag: string | undefined;
}

/** Name, plan and limits. It must not overwrite what came between, so it sends If-Match. */
export function EditWorkspace({ opened }: { opened: WithResponse<Workspace> }) {
  const { id } = opened.data;
  const [base, setBase] = useState(opened);
  const [input, setInput] = useState(() => inputOf(opened.data));
  const [isChecked, setChecked] = useState(false);
  const [theirs, setTheirs] = useState<WithResponse<Workspace> | undefined>(undefined);
  const write = useWrite<Change, Workspace>({
    send: ({ body, etag }, idempotencyKey) =>
      store.admin.updateWorkspace(id, body, { idempotencyKey, ifMatch: etag }),
    onDone: (saved) => {
      say(words.saved(saved.name));
      setInput(inputOf(saved));
      invalidate('adminGetWorkspace', 'adminListWorkspaces');
      // The own workspace: its limits are everywhere on the screen.
      if (id === session.value?.workspaceId) {
        void loadSession();
        invalidate('getUsage', 'getUsageAdvice', 'getWorkspace');
      }
    },
    onError: (err) => {
      if (!(err instanceof PreconditionError)) return;
      // If it cannot be read either, the refusal stays on the screen.
      observed(() => store.admin.getWorkspace(id).withResponse()).then(setTheirs, () => {});
    },
  });
  const isIn = ({ data }: WithResponse<Workspace>) =>
    JSON.stringify(input) === JSON.stringify(inputOf(data));
  const beginWith = (record: WithResponse<Workspace>) => {
    setBase(record);
    setInput(inputOf(record.data));
  };
  // The record was read again. What was typed and not saved stays.
  useEffect(() => {
    if (isIn(base) || isIn(opened)) beginWith(opened);
  }, [opened.etag]);
  useUnsaved(!isIn(base) && !isIn(opened));
  const body = bodyOf(input);
  const submit = () => {
    setChecked(true);
    const isGood = Object.values(faultsOf(input)).every((fault) => fault === undefined);
    if (isGood) write.run({ body, etag: base.etag });
  };
  return (
    <Card title={words.editTitle} subtitle={words.effect}>
      <Form onSubmit={submit}>
        {theirs && (
          <Conflict
            fields={differences(theirs.data, input)}
            onApply={() => {
              setBase(theirs);
              setTheirs(undefined);
              write.run({ body, etag: theirs.etag });
            }}
            onLetGo={() => {
              beginWith(theirs);
              setTheirs(undefined);
              write.reset();
              invalidate('adminGetWorkspace');
            }}
          />
        )}
        <WorkspaceFields input={input} onChange={setInput} isChecked={isChecked} />
        <FormFooter
          write={write}
          curl={{ method: 'PATCH', path: `/admin/workspaces/${id}`, body }}
          action={words.save}
          isConflict={theirs !== undefined}
        />
      </Form>
    </Card>
  );
}

/** What is there now and what was typed, where they differ. */
function differences(theirs: Workspace, input: WorkspaceInput) {
  const now = inputOf(theirs);
  const planOf = ({ plan }: WorkspaceInput) => limitWords.plans[plan] ?? plan;
  return [
    { name: words.name, theirs: now.name, yours: input.name },
    { name: words.plan, theirs: planOf(now), yours: planOf(input) },
    { name: words.perMinute, theirs: now.perMinute, yours: input.perMinute },
    { name: words.perDay, theirs: now.perDay, yours: input.perDay },
  ];
}
