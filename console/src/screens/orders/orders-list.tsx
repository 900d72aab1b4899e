import type { Order, Page } from '@petstore/client';
import { type QueryResult, useQuery } from '../../api/query.ts';
import { scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { FirstPet } from '../../parts/first-pet.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { sortBy } from '../../parts/sort-by.ts';
import { BASE, queryValue } from '../../router.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { curlText } from '../../ui/curl.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ago, date, dateTime, number, past } from '../../ui/format.ts';
import { type Column, Name } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { orderWords as words } from '../../words/orders.ts';
import type { OrderStep } from './order-dialogs.tsx';
import { badgeOf, isLate, sortUnlessGiven } from './query.ts';
import { RowActions } from './row-actions.tsx';
import { type Selection, selectColumn } from './selection.tsx';

export interface OrdersListProps {
  list: QueryResult<Page<Order>>;
  selection: Selection;
  nameOf: (petId: number) => string;
  isHeld: boolean;
  onStep: (step: OrderStep) => void;
}

export function OrdersList({ list, selection, nameOf, isHeld, onStep }: OrdersListProps) {
  const now = useNow();
  return (
    <RecordList
      label={words.listLabel}
      list={list}
      isHeld={isHeld}
      columns={[selectColumn(selection), ...columnsOf({ now, nameOf, onStep })]}
      keyOf={({ id = 0 }) => id}
      empty={() => <NoOrders />}
      onPage={words.onPage}
    />
  );
}

interface ColumnOptions {
  now: number;
  nameOf: (petId: number) => string;
  onStep: (step: OrderStep) => void;
}

function columnsOf({ now, nameOf, onStep }: ColumnOptions): Column<Order>[] {
  return [
    {
      title: words.columns.order,
      sort: sortBy('id', sortUnlessGiven()),
      cell: (order) => (
        <>
          <a data-row href={`${BASE}/orders/${order.id}`}>
            {words.order(order.id ?? 0)}
          </a>
          <span class="second only-narrow">
            {nameOf(order.petId ?? 0)} · {badgeOf(order, now)[1]}
          </span>
          {order.createdAt !== undefined && (
            <span class="second">{words.placed(past(order.createdAt, now))}</span>
          )}
        </>
      ),
    },
    {
      title: words.columns.pet,
      isWide: true,
      cell: ({ petId = 0 }) => (
        <a class="plain" href={`${BASE}/inventory?pet=${petId}`}>
          {nameOf(petId)}
        </a>
      ),
    },
    {
      title: words.columns.customer,
      isWide: true,
      cell: ({ customer, reference }) => (
        <>
          {customer !== undefined && <Name>{customer}</Name>}
          {reference !== undefined && <span class="second muted">{reference}</span>}
        </>
      ),
    },
    { title: words.columns.units, align: 'end', cell: ({ quantity = 1 }) => number(quantity) },
    { title: words.columns.ships, cell: (order) => <Ships order={order} now={now} /> },
    {
      title: words.columns.state,
      isWide: true,
      cell: (order) => {
        const [tone, text] = badgeOf(order, now);
        return <Badge tone={tone}>{text}</Badge>;
      },
    },
    {
      title: words.columns.do,
      isBare: true,
      isWide: true,
      align: 'end',
      cell: (order) =>
        order.state === 'open' && <RowActions orderId={order.id ?? 0} onStep={onStep} />,
    },
  ];
}

/** When it ships, and what is urgent about it: that it is late, or how long it holds its units. */
function Ships({ order, now }: { order: Order; now: number }) {
  const { shipDate, expiresAt } = order;
  return (
    <>
      {shipDate === undefined ? (
        <span class="muted">{words.noDate}</span>
      ) : (
        <time dateTime={shipDate} title={dateTime(shipDate)}>
          {date(shipDate)}
        </time>
      )}
      {shipDate !== undefined && isLate(order, now) && (
        <span class="second late">{words.wasDue(ago(shipDate, now))}</span>
      )}
      {expiresAt !== undefined && <span class="second">{words.endsAt(dateTime(expiresAt))}</span>}
    </>
  );
}

/** Either there is no order yet, and the screen says how to begin, or none fits the filters. */
function NoOrders() {
  const isFiltered = ['show', 'petId', 'shipDateFrom', 'shipDateTo', 'cursor'].some(
    (name) => queryValue(name) !== undefined,
  );
  return isFiltered ? (
    <NoRows icon="shopping-cart" words={words.noRows} isFiltered path="/orders" />
  ) : (
    <FirstOrder />
  );
}

/** An order needs a pet that can be ordered, so a store without one begins there. */
function FirstOrder() {
  const { data } = useQuery({
    key: ['listInventory', { status: 'available', limit: 1 }],
    read: (signal) => store.inventory.list({ status: 'available', limit: 1 }, { signal }),
  });
  const petId = data?.items[0]?.petId;
  if (data && petId === undefined) {
    return (
      <Empty icon="shopping-cart" title={words.noRows.emptyTitle}>
        <p>{words.emptyStoreText}</p>
        <FirstPet isOrdered />
        <LinkButton href={`${BASE}/catalogue`}>{words.toCatalogue}</LinkButton>
      </Empty>
    );
  }
  return (
    <Empty icon="shopping-cart" title={words.noRows.emptyTitle}>
      <p>{words.noRows.emptyText}</p>
      {petId !== undefined && (
        <Code>{curlText({ method: 'POST', path: '/store/orders', body: { petId } })}</Code>
      )}
      <LinkButton href={`${BASE}/orders/new`} offReason={scopeReason('write')}>
        {words.place}
      </LinkButton>
    </Empty>
  );
}
