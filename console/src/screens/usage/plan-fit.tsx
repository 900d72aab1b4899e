import type { Plan, UsageAdvice } from '@petstore/client';
import { pause } from '../../api/limits.ts';
import { isPending } from '../../api/query.ts';
import { session } from '../../api/session.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { useAdvice, useMinutes } from '../../shell/usage.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { planWords as words } from '../../words/plan.ts';
import { limitWords } from '../../words/shell/limits.ts';
import { usePlans } from '../plan/plan-queries.ts';

const RECENT_MINUTES = 2;

/** The last day, replayed against each plan. */
export function PlanFit() {
  const advice = useAdvice();
  const plans = usePlans();
  const { data: minutes } = useMinutes();
  // The replay may not know yet what was refused a moment ago.
  const isRefusing =
    pause.value?.kind === 'minute' ||
    pause.value?.kind === 'day' ||
    minutes?.slice(-RECENT_MINUTES).some(({ refused }) => refused > 0) === true;
  return (
    <Card title={words.fits} subtitle={words.fitsNote}>
      <Loaded query={advice} rows={6} isHeld={isPending(plans)}>
        {(data) => (
          <>
            <ul class="plan-fits">
              {data.plans.map(({ plan, refused }) => (
                <FitRow
                  key={plan}
                  plan={plans.data?.find(({ id }) => id === plan)}
                  id={plan}
                  refused={refused}
                  isFit={isAdvised(data) && plan === data.recommended}
                />
              ))}
            </ul>
            <Advice advice={data} isRefusing={isRefusing} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** Whether another plan than the present one is worth a change. */
function isAdvised({ recommended }: UsageAdvice): boolean {
  const { plan } = session.value!;
  return plan !== 'enterprise' && recommended !== plan;
}

function Advice({ advice, isRefusing }: { advice: UsageAdvice; isRefusing: boolean }) {
  const { plan } = session.value!;
  const own = advice.plans.find((each) => each.plan === plan);
  // A cheaper plan that would do as well is no reason to press a button.
  const isNeeded = isAdvised(advice) && own !== undefined && own.refused > 0;
  if (isNeeded) {
    const name = limitWords.plans[advice.recommended] ?? advice.recommended;
    return (
      <>
        <LinkButton href={`${BASE}/plan?to=${advice.recommended}`} look="primary">
          {words.changeTo(name)}
        </LinkButton>
        <p class="hint">{words.atOnce}</p>
      </>
    );
  }
  return (
    <>
      <LinkButton href={`${BASE}/plan`}>{words.compare}</LinkButton>
      <p class="hint">
        {plan === 'enterprise'
          ? words.yourLimits
          : isRefusing || own?.refused !== 0
            ? words.someRefused
            : words.planFits}
      </p>
    </>
  );
}

interface FitRowProps {
  id: string;
  plan: Plan | undefined;
  refused: number;
  isFit: boolean;
}

function FitRow({ id, plan, refused, isFit }: FitRowProps) {
  const isYours = id === session.value!.plan;
  return (
    <li class={isFit ? 'fit' : undefined}>
      <span>
        <span class="row">
          <strong>{limitWords.plans[id] ?? id}</strong>
          {isYours && <span class="tag">{words.yours}</span>}
          {isFit && <Badge tone="good">{words.fit}</Badge>}
        </span>
        <span class="second small muted">
          {plan?.perMinute !== undefined &&
            plan.perDay !== undefined &&
            words.limits(plan.perMinute, plan.perDay)}
        </span>
      </span>
      <strong class={refused > 0 ? 'text-bad' : undefined}>{words.refused(refused)}</strong>
    </li>
  );
}
