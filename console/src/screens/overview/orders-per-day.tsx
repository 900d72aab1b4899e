import { DayBars } from '../../charts/day-bars.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useUsage } from '../../shell/usage.ts';
import { Card } from '../../ui/card.tsx';
import { overviewWords as words } from '../../words/overview.ts';
import { placedPerDay } from './history.ts';

const DAYS = 14;

export function OrdersPerDay() {
  const usage = useUsage();
  return (
    <Card title={words.ordersPerDay} subtitle={words.ordersPerDayNote}>
      <Loaded query={usage} rows={7}>
        {(data) => {
          const days = placedPerDay(data, DAYS);
          const total = days.reduce((sum, { count }) => sum + count, 0);
          return (
            <DayBars
              days={days}
              label={words.ordersPerDayLabel(total)}
              unit={words.orders}
              textOf={words.orderCount}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}
