import type { Key, Page } from '@petstore/client';
import { isPending, useQuery } from '../../api/query.ts';
import { keysQuery } from '../../api/shared-queries.ts';
import { queryValue, setQuery } from '../../router.ts';
import { useUsage, useUsageTogether } from '../../shell/usage.ts';
import { Choice } from '../../ui/fields/field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { useNow } from '../../ui/use-now.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { usageWords as words } from '../../words/usage.ts';
import { BanLadder } from './ban-ladder.tsx';
import { ByKey } from './by-key.tsx';
import { ByOperation } from './by-operation.tsx';
import { Deprecated } from './deprecated.tsx';
import { PlanFit } from './plan-fit.tsx';
import { type Range, RequestsChart } from './requests-chart.tsx';

/** What the keys used. All of it is free; only the names of the keys cost a request. */
export function UsageScreen() {
  const now = useNow();
  const usage = useUsage();
  useUsageTogether();
  const keys = useQuery<Page<Key>>(keysQuery);
  const given = queryValue('range');
  const range: Range = given === 'day' || given === 'month' ? given : 'hour';
  const period = range === 'month' ? 'month' : 'today';
  return (
    <>
      <PageHead title={navigationWords.titles.usage} lead={words.lead}>
        <Choice
          label={words.range}
          value={range}
          options={Object.entries(words.ranges)}
          onChange={(value) => setQuery({ range: value === 'hour' ? undefined : value })}
        />
      </PageHead>
      <div class="steady columns wide-left">
        <RequestsChart range={range} usage={usage} now={now} />
        <PlanFit />
      </div>
      <ByKey
        usage={usage}
        keys={keys.data?.items}
        isHeld={isPending(keys)}
        period={period}
        now={now}
      />
      <div class="stack" hidden={isPending(usage) || isPending(keys)}>
        <div class="columns even">
          <BanLadder usage={usage} keys={keys.data?.items} />
          <Deprecated usage={usage} keys={keys.data?.items} now={now} />
        </div>
        <ByOperation usage={usage} period={period} now={now} />
      </div>
    </>
  );
}
