import { session } from '../../api/session.ts';
import { MinuteBars } from '../../charts/minute-bars.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useMinutes } from '../../shell/usage.ts';
import { Card } from '../../ui/card.tsx';
import { overviewWords as words } from '../../words/overview.ts';

export function RequestsPerMinute() {
  const minutes = useMinutes();
  return (
    <Card
      title={words.minutes}
      subtitle={words.minutesNote}
      aside={
        <div class="legend">
          <span>{words.admitted}</span>
          <span class="refused">{words.refusedLegend}</span>
        </div>
      }
    >
      <div class="chart-room">
        <Loaded query={minutes} rows={7}>
          {(data) => <MinuteBars minutes={data} limit={session.value!.limits.perMinute} />}
        </Loaded>
      </div>
    </Card>
  );
}
