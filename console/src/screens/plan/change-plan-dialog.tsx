import type { Plan, PlanReplay, Workspace, WorkspacePatch } from '@petstore/client';
import { dayWindow, minuteWindow } from '../../api/limits.ts';
import { loadSession, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { windowAt } from '../../shell/meter.tsx';
import { number } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { say } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import { planWords as words } from '../../words/plan.ts';
import { limitWords } from '../../words/shell/limits.ts';

interface ChangePlanDialogProps {
  plan: Plan;
  replay: PlanReplay | undefined;
  onClose: () => void;
}

/** Says what the change does at once: the limits change, and what was used stays used. */
export function ChangePlanDialog({ plan, replay, onClose }: ChangePlanDialogProps) {
  const now = useNow(1_000);
  const { plan: from, limits } = session.value!;
  const write = useWrite<WorkspacePatch, Workspace>({
    operation: 'updateWorkspace',
    send: (body, idempotencyKey) => store.workspace.update(body, { idempotencyKey }),
    onDone: (workspace) => {
      // The limits are those of the session everywhere on the screen; the counters come with the usage.
      void loadSession();
      say(words.changed(limitWords.plans[workspace.plan] ?? workspace.plan));
    },
    goOn: onClose,
  });
  const body: WorkspacePatch = { plan: plan.id };
  const { perMinute = 0, perDay = 0 } = plan;
  const usedMinute = usedOf(windowAt(minuteWindow.value, limits.perMinute, now));
  const usedDay = usedOf(windowAt(dayWindow.value, limits.perDay, now));
  return (
    <ConfirmDialog
      title={words.dialogTitle(plan.name)}
      action={words.changeTo(plan.name)}
      look="primary"
      write={write}
      onConfirm={() => write.run(body)}
      onClose={onClose}
      curl={{ method: 'PATCH', path: '/workspace', body }}
    >
      <p>{words.dialogLead(limitWords.plans[from] ?? from, plan.name)}</p>
      <dl class="preview">
        <Change title={words.minuteLimit} from={limits.perMinute} to={perMinute} />
        <Change title={words.dayLimit} from={limits.perDay} to={perDay} />
      </dl>
      <ul class="effects">
        <li>{words.usedMinute(usedMinute, Math.max(0, perMinute - usedMinute))}</li>
        <li>{words.usedDay(usedDay, Math.max(0, perDay - usedDay))}</li>
        <li>{words.costs}</li>
      </ul>
      {replay !== undefined && replay.refused > 0 && (
        <p class="notice warn">
          <Icon name="triangle-alert" />
          <span>{words.wouldRefuse(replay.refused)}</span>
        </p>
      )}
      {from === 'enterprise' && (
        <p class="notice warn">
          <Icon name="triangle-alert" />
          <span>{words.losesEnterprise}</span>
        </p>
      )}
    </ConfirmDialog>
  );
}

const usedOf = ({ limit, remaining }: { limit: number; remaining: number }) => limit - remaining;

function Change({ title, from, to }: { title: string; from: number; to: number }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {number(from)} → <strong>{number(to)}</strong>
      </dd>
    </div>
  );
}
