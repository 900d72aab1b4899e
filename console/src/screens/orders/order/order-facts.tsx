import type { Order } from '@petstore/client';
import type { ComponentChildren } from 'preact';
import { BASE } from '../../../router.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { ago, dateTime, number } from '../../../ui/format.ts';
import { useNow } from '../../../ui/use-now.ts';
import { controlWords } from '../../../words/controls.ts';
import { orderFieldWords, orderWords as words } from '../../../words/orders.ts';
import { badgeOf } from '../query.ts';

export function OrderFacts({ order, name }: { order: Order; name: string }) {
  const {
    petId = 0,
    quantity = 1,
    shipDate,
    createdAt,
    expiresAt,
    endedAt,
    endReason,
    state,
    customer,
    reference,
    note,
  } = order;
  // The order has been placed and has ended, although the clock of the service may be ahead.
  const now = Math.max(useNow(), Date.parse(endedAt ?? createdAt ?? '') || 0);
  const [tone, text] = badgeOf(order, now);
  const when = (at: string | undefined, none: string): ComponentChildren =>
    at === undefined ? <span class="muted">{none}</span> : <Instant at={at} now={now} />;
  const facts: Fact[] = [
    [
      words.pet,
      <a key="pet" href={`${BASE}/inventory?pet=${petId}`}>
        {name}
      </a>,
    ],
    [words.columns.units, number(quantity)],
    [words.placedAt, when(createdAt, words.unknownTime)],
    [words.shipsAt, when(shipDate, words.noDate)],
  ];
  for (const [name, text] of Object.entries({ customer, reference, note })) {
    if (text !== undefined) facts.push([orderFieldWords[name as 'note'], text]);
  }
  if (state === 'open') facts.push([words.holdsUntil, when(expiresAt, words.isFree)]);
  if (endedAt !== undefined) facts.push([words.endedAt, when(endedAt, '')]);
  if (endReason !== undefined) facts.push([words.endReason, endReason]);
  return (
    <Card title={words.facts} aside={<Badge tone={tone}>{text}</Badge>}>
      <Facts facts={facts} />
      {expiresAt !== undefined && <p class="hint">{words.holdsNote}</p>}
    </Card>
  );
}

function Instant({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at}>
      {dateTime(at)} <span class="muted nowrap">{controlWords.inBrackets(ago(at, now))}</span>
    </time>
  );
}
