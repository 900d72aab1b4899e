import { time } from '../ui/format.ts';
import { chartWords as words } from '../words/charts.ts';
import { StackedBars } from './stacked-bars.tsx';

interface Minute {
  minute: string;
  admitted: number;
  refused: number;
}

/** Requests of each minute, admitted and refused, against the limit of the plan. */
export function MinuteBars({ minutes, limit }: { minutes: readonly Minute[]; limit: number }) {
  return (
    <StackedBars
      label={words.minutes(minutes, limit)}
      unit={words.minute}
      bars={minutes.map(({ minute, admitted, refused }, index) => {
        const name = time(minute);
        const short = index === minutes.length - 1 ? words.now : name;
        return { name, short, admitted, refused };
      })}
      limit={{ value: limit, text: words.limit(limit) }}
    />
  );
}
