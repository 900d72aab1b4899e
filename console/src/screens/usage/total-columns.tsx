import { number, percent } from '../../ui/format.ts';
import type { Column } from '../../ui/table.tsx';
import { usageWords as words } from '../../words/usage.ts';
import type { Total } from './totals.ts';

/** The numbers of a row, and its share of a whole. */
export function totalColumns(whole: number, shareTitle: string): Column<Total>[] {
  return [
    { title: words.columns.admitted, align: 'end', cell: ({ admitted }) => number(admitted) },
    {
      title: words.columns.refused,
      align: 'end',
      cell: ({ refused }) =>
        refused === 0 ? (
          <span class="muted">{number(refused)}</span>
        ) : (
          <strong class="text-bad">{number(refused)}</strong>
        ),
    },
    {
      title: words.columns.failed,
      align: 'end',
      isWide: true,
      cell: ({ failed }) => <span class="muted">{number(failed)}</span>,
    },
    {
      title: shareTitle,
      isWide: true,
      cell: ({ admitted }) => {
        const share = whole === 0 ? 0 : admitted / whole;
        return (
          <progress
            class="share"
            max={1}
            value={Math.min(1, share)}
            title={percent(share)}
            aria-label={words.share(percent(share), shareTitle)}
          />
        );
      },
    },
  ];
}
