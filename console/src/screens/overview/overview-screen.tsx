import { queries, useQuery } from '../../api/query.ts';
import { scopeReason } from '../../api/session.ts';
import { lowStockQuery } from '../../api/shared-queries.ts';
import { loadMore } from '../../load-more.ts';
import { BASE, queryValue } from '../../router.ts';
import { Deferred } from '../../shell/deferred.tsx';
import { useUsageTogether } from '../../shell/usage.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ago, longDay, time } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { useNow } from '../../ui/use-now.ts';
import { controlWords } from '../../words/controls.ts';
import { overviewWords as words } from '../../words/overview.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { LatestMovements } from './latest-movements.tsx';
import { NeedsYou } from './needs-you.tsx';
import { OrdersPerDay } from './orders-per-day.tsx';
import { movementsQuery } from './overview-queries.ts';
import { RequestsPerMinute } from './requests-per-minute.tsx';
import { Tiles } from './tiles.tsx';

/** What the store looks like now. It costs five counted requests: stock, orders, movements, pets' names, keys. */
export function OverviewScreen() {
  useUsageTogether();
  return (
    <>
      <PageHead title={navigationWords.titles.overview} lead={<Updated />}>
        <Button icon="refresh-cw" onClick={() => queries.refetch()}>
          {controlWords.refresh}
        </Button>
        <LinkButton
          href={`${BASE}/orders/new`}
          look="primary"
          icon="plus"
          offReason={scopeReason('write')}
        >
          {words.placeOrder}
        </LinkButton>
      </PageHead>
      <Tiles />
      <div class="steady columns wide-left">
        <RequestsPerMinute />
        <NeedsYou />
      </div>
      <div class="steady columns wide-right">
        <OrdersPerDay />
        <LatestMovements />
      </div>
      {queryValue('sample') === '1' && (
        <Deferred load={() => loadMore().then(({ SampleDialog }) => SampleDialog)} />
      )}
    </>
  );
}

/** The time, and how old the answers are. Pets' names wait for these two, so they are read before all else. */
function Updated() {
  const now = useNow(10_000);
  const low = useQuery(lowStockQuery());
  const movements = useQuery(movementsQuery);
  const updatedAt = Math.max(low.dataUpdatedAt, movements.dataUpdatedAt);
  return (
    <>
      {longDay(now)}, {time(now)}
      {updatedAt > 0 && ` · ${controlWords.updated(ago(updatedAt, Math.max(now, updatedAt)))}`}
    </>
  );
}
