import type { Order, Page } from '@petstore/client';
import { type QueryResult, useQuery } from '../../api/query.ts';
import { scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { FirstPet } from '../../parts/first-pet.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { sortBy } from '../../parts/sort-by.ts';
import { BASE, hrefWith, queryValue } from '../../router.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { curlText } from '../../ui/curl.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ago, date, dateTime, number, past } from '../../ui/format.ts';
import { type Column, Name } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { controlWords } from '../../words/controls.ts';
import { orderWords as words } from '../../words/orders.ts';
import type { OrderStep } from './order-dialogs.tsx';
import {
  badgeOfGroup,
  firstToShip,
  groupsOf,
  type OrderGroup,
  petsOf,
  titleOf,
  unitsOf,
} from './order-groups.ts';
import { isLate, sortUnlessGiven, tabInAddress } from './query.ts';
import { RowActions } from './row-actions.tsx';
import { type Selection, selectColumn } from './selection.tsx';

interface OrdersListProps {
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
      rowsOf={groupsOf}
      columns={[selectColumn(selection), ...columnsOf({ now, nameOf, onStep })]}
      keyOf={([{ id }]) => id}
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

function columnsOf({ now, nameOf, onStep }: ColumnOptions): Column<OrderGroup>[] {
  return [
    {
      title: words.columns.order,
      sort: sortBy('id', sortUnlessGiven()),
      cell: (group) => {
        const [{ id, createdAt, customer, reference }] = group;
        const whose = [customer, group.length === 1 ? reference : undefined].filter(Boolean);
        return (
          <>
            <a data-row href={`${BASE}/orders/${id}`}>
              {titleOf(group)}
            </a>
            {whose.length > 0 && (
              <span class="second only-narrow">
                {whose.map((text, place) => (
                  <bdi key={text} class="whole">
                    {text}
                    {place < whose.length - 1 && '\u00a0·'}
                  </bdi>
                ))}
              </span>
            )}
            <span class="second only-narrow">
              {controlWords.dotted(badgeOfGroup(group, now)[1], petsOf(group, nameOf))}
            </span>
            {createdAt !== undefined && (
              <span class="second only-wide one-line">{words.placed(past(createdAt, now))}</span>
            )}
          </>
        );
      },
    },
    {
      title: words.columns.pet,
      isWide: true,
      cell: (group) =>
        group.length === 1 ? (
          <a class="plain" href={`${BASE}/inventory?pet=${group[0].petId}`}>
            {nameOf(group[0].petId)}
          </a>
        ) : (
          <Name>{petsOf(group, nameOf)}</Name>
        ),
    },
    {
      title: words.columns.customer,
      isWide: true,
      cell: ([{ customer }]) => customer !== undefined && <Name>{customer}</Name>,
    },
    {
      title: words.columns.reference,
      isWide: true,
      cell: ([{ reference }]) => reference !== undefined && <Name>{reference}</Name>,
    },
    { title: words.columns.units, align: 'end', cell: (group) => number(unitsOf(group)) },
    {
      title: words.columns.ships,
      sort: sortBy('shipDate', sortUnlessGiven()),
      cell: (group) => <Ships order={firstToShip(group)} now={now} />,
    },
    {
      title: words.columns.state,
      isWide: true,
      cell: (group) => {
        const [tone, text] = badgeOfGroup(group, now);
        return <Badge tone={tone}>{text}</Badge>;
      },
    },
    {
      title: words.columns.do,
      isBare: true,
      isWide: true,
      align: 'end',
      cell: ([{ id, state }, ...others]) =>
        state === 'open' && others.length === 0 && <RowActions orderId={id} onStep={onStep} />,
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
  const isFiltered = ['show', 'q', 'petId', 'shipDateFrom', 'shipDateTo', 'cursor'].some(
    (name) => queryValue(name) !== undefined,
  );
  // Who asks for a customer may not know what became of the order.
  const isSearched = queryValue('q') !== undefined && tabInAddress() !== 'all';
  return isFiltered ? (
    <NoRows
      icon="shopping-cart"
      words={words.noRows}
      isFiltered
      path="/orders"
      orElse={
        isSearched && <LinkButton href={hrefWith({ show: 'all' })}>{words.searchAll}</LinkButton>
      }
    />
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
