import type { Plan, PlanReplay } from '@petstore/client';
import { scopeReason, session } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { number } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { planWords as words } from '../../words/plan.ts';

/** How many event streams a workspace may follow at once. The list of plans does not say. */
const STREAMS: Record<Plan['id'], number> = { free: 2, pro: 5, business: 20, enterprise: 100 };

interface PlanCardProps {
  plan: Plan;
  replay: PlanReplay | undefined;
  isFit: boolean;
  canChange: boolean;
  onChange: () => void;
}

export function PlanCard({ plan, replay, isFit, canChange, onChange }: PlanCardProps) {
  const isYours = plan.id === session.value!.plan;
  const own = session.value!.limits;
  const perMinute = plan.perMinute ?? (isYours ? own.perMinute : undefined);
  const perDay = plan.perDay ?? (isYours ? own.perDay : undefined);
  return (
    <li class={`card plan${isFit ? ' fit' : ''}`}>
      <header>
        <h2>{plan.name}</h2>
        {isYours && <span class="tag">{words.yours}</span>}
        {isFit && <Badge tone="good">{words.fit}</Badge>}
      </header>
      {perMinute === undefined || perDay === undefined ? (
        <p class="plan-limits">{words.individually}</p>
      ) : (
        <dl class="plan-limits">
          <div>
            <dd>{number(perMinute)}</dd>
            <dt>{words.perMinute}</dt>
          </div>
          <div>
            <dd>{number(perDay)}</dd>
            <dt>{words.perDay}</dt>
          </div>
        </dl>
      )}
      <p class="row muted">
        <Icon name="activity" size={16} /> {words.streams(STREAMS[plan.id])}
      </p>
      {replay ? <Replay replay={replay} /> : <p class="muted">{words.enterpriseNote}</p>}
      {isYours ? (
        <p class="row plan-own">
          <Icon name="check" /> {words.isYours}
        </p>
      ) : (
        canChange && (
          <Button
            look={isFit ? 'primary' : 'plain'}
            offReason={scopeReason('manage')}
            onClick={onChange}
          >
            {words.changeTo(plan.name)}
          </Button>
        )
      )}
    </li>
  );
}

function Replay({ replay: { refused, refusedByMinute, refusedByDay } }: { replay: PlanReplay }) {
  return (
    <div class="plan-replay">
      <span class="small muted">{words.replayTitle}</span>
      <strong class={refused > 0 ? 'text-bad' : 'text-good'}>{words.refused(refused)}</strong>
      {refused > 0 && (
        <span class="small muted">{words.replay(refusedByMinute, refusedByDay)}</span>
      )}
    </div>
  );
}
