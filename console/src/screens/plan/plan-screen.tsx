import type { Plan, UsageAdvice } from '@petstore/client';
import { useState } from 'preact/hooks';
import { isPending } from '../../api/query.ts';
import { may, session } from '../../api/session.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { queryValue, setQuery } from '../../router.ts';
import { useAdvice } from '../../shell/usage.ts';
import { dateTime } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { planWords as words } from '../../words/plan.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { ChangePlanDialog } from './change-plan-dialog.tsx';
import { PlanCard } from './plan-card.tsx';
import { usePlans } from './plan-queries.ts';

/** The plans side by side. Looking at them costs nothing. */
export function PlanScreen() {
  const plans = usePlans();
  const advice = useAdvice();
  // `?to=pro` opens the change at once: that is where the advice on the screen of usage leads.
  const [wanted, setWanted] = useState(queryValue('to'));
  const chosen = plans.data?.find(({ id }) => id === wanted);
  const isChange = chosen !== undefined && canChangeTo(chosen) && may('manage');
  return (
    <>
      <PageHead title={navigationWords.titles.plan} lead={words.lead} />
      <Loaded query={plans} rows={8} isHeld={isPending(advice)}>
        {(data) => (
          <ul class="plans">
            {data.map((plan) => (
              <PlanCard
                key={plan.id}
                plan={plan}
                replay={advice.data?.plans.find((each) => each.plan === plan.id)}
                isFit={isFit(plan, advice.data)}
                canChange={canChangeTo(plan)}
                onChange={() => setWanted(plan.id)}
              />
            ))}
          </ul>
        )}
      </Loaded>
      {plans.data && advice.data && (
        <p class="muted">
          {words.requests(
            advice.data.requests,
            advice.data.busiestMinute,
            dateTime(advice.data.from),
          )}{' '}
          {words.changeNote}
        </p>
      )}
      {isChange && (
        <ChangePlanDialog
          plan={chosen}
          replay={advice.data?.plans.find((each) => each.plan === chosen.id)}
          onClose={() => {
            setWanted(undefined);
            setQuery({ to: undefined }, { replace: true });
          }}
        />
      )}
    </>
  );
}

/** Plans with fixed limits can be chosen; Enterprise is the operator's to give. */
function canChangeTo({ id, perMinute, perDay }: Plan): boolean {
  return id !== session.value!.plan && perMinute !== undefined && perDay !== undefined;
}

function isFit({ id }: Plan, advice: UsageAdvice | undefined): boolean {
  return session.value!.plan !== 'enterprise' && advice?.recommended === id;
}
