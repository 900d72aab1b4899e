import { useQuery } from '../../../api/query.ts';
import { store } from '../../../api/store.ts';
import { dateTime } from '../../../ui/format.ts';
import { newOrderWords as words } from '../../../words/orders.ts';

/** When units of a pet become available again at the latest: the next open order that expires. */
export function NextRelease({ petId }: { petId: number }) {
  const query = { petId, state: ['open'], limit: 100 } as const;
  const { data } = useQuery({
    key: ['listOrders', query],
    read: (signal) => store.orders.list(query, { signal }),
  });
  const next = data?.items
    .filter(({ expiresAt }) => expiresAt !== undefined)
    .sort((a, b) => a.expiresAt!.localeCompare(b.expiresAt!))[0];
  if (!data) return null;
  return (
    <p class="hint">
      {next ? words.nextRelease(next.quantity, dateTime(next.expiresAt!)) : words.noRelease}
    </p>
  );
}
