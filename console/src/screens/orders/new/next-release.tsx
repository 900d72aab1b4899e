import { useQuery } from '../../../api/query.ts';
import { store } from '../../../api/store.ts';
import { dateTime } from '../../../ui/format.ts';
import { useNow } from '../../../ui/use-now.ts';
import { newOrderWords as words } from '../../../words/orders.ts';
import { HELD_MS_MAX } from '../order-draft.ts';

/** When units of a pet become available again at the latest: the next open order that expires. */
export function NextRelease({ petId }: { petId: number }) {
  // Every order that expires at all: none is held for longer. The minute keeps the question the same.
  const end = Math.ceil(useNow(60_000) / 60_000) * 60_000 + HELD_MS_MAX;
  const query = { petId, expiresBefore: new Date(end).toISOString(), limit: 100 };
  const { data } = useQuery({
    key: ['listOrders', query],
    keepsPrevious: true,
    read: (signal) => store.orders.list(query, { signal }),
  });
  const next = data?.items.toSorted((a, b) => a.expiresAt!.localeCompare(b.expiresAt!))[0];
  if (!data) return null;
  return (
    <p class="hint">
      {next ? words.nextRelease(next.quantity, dateTime(next.expiresAt!)) : words.noRelease}
    </p>
  );
}
