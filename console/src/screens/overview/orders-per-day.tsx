import type { Order } from '@petstore/client';
import { isPending, useQuery } from '../../api/query.ts';
import { ORDER_STATES } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { DayBars } from '../../charts/day-bars.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useUsage } from '../../shell/usage.ts';
import { Card } from '../../ui/card.tsx';
import { overviewWords as words } from '../../words/overview.ts';
import { chartZone, UTC } from '../chart-zone.ts';
import { createdPerDay, lastDays, placedPerDay } from './history.ts';

const DAYS = 14;
/** How many orders are read at most: each 100 cost a request of the plan. A store with more of them sees UTC days. */
const ORDERS_MAX = 1_000;
/** No time zone is further ahead of UTC. */
const AHEAD_MS = 14 * 3_600_000;

/** The orders of the last days of a time zone; undefined if there are too many. For UTC nothing is read. */
function useOrders(zone: string) {
  const first = lastDays(DAYS, Date.now(), zone)[0]!;
  const createdFrom = new Date(Date.parse(first) - AHEAD_MS).toISOString();
  const query = { createdFrom, state: ORDER_STATES, limit: 100 };
  const orders = useQuery<{ items: Order[] }>({
    key: ['listOrders', query, 'all'],
    read: async (signal) => ({
      items: await store.orders.list(query, { signal }).toArray({ limit: ORDERS_MAX }),
    }),
    isEnabled: zone !== UTC,
  });
  const items = orders.data?.items;
  return {
    isPending: zone !== UTC && isPending(orders),
    items: zone !== UTC && items && items.length < ORDERS_MAX ? items : undefined,
  };
}

export function OrdersPerDay() {
  const usage = useUsage();
  const orders = useOrders(chartZone.value);
  // The usage knows UTC days alone, and costs nothing.
  const zone = orders.items ? chartZone.value : UTC;
  return (
    <Card title={words.ordersPerDay} subtitle={words.ordersPerDayNote(zone)}>
      <Loaded query={usage} rows={7} isHeld={orders.isPending}>
        {(data) => {
          const days = orders.items
            ? createdPerDay(orders.items, lastDays(DAYS, Date.now(), zone), zone)
            : placedPerDay(data, DAYS);
          const total = days.reduce((sum, { count }) => sum + count, 0);
          return (
            <DayBars
              days={days}
              zone={zone}
              label={words.ordersPerDayLabel(zone, total)}
              unit={words.orders}
              textOf={words.orderCount}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}
