import type { InventoryItem, Key, Pet, Usage, UsageAdvice } from '@petstore/client';
import { isPending, useQuery } from '../../api/query.ts';
import { scopeReason, session } from '../../api/session.ts';
import { keysQuery, lowStockQuery, nameIn } from '../../api/shared-queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { useAdvice, useUsage } from '../../shell/usage.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ago, date, past } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import type { IconName } from '../../ui/icons/icon-paths.ts';
import { useNow } from '../../ui/use-now.ts';
import { controlWords } from '../../words/controls.ts';
import { checklistWords, overviewWords as words } from '../../words/overview.ts';
import { limitWords } from '../../words/shell/limits.ts';
import { FirstSteps, useFirstSteps } from './checklist.tsx';
import { lowestOf, useNamedPets } from './overview-queries.ts';
import { keptRun } from './sample/kept-run.ts';

interface Need {
  id: string;
  icon: IconName;
  tone: '' | 'warn' | 'bad';
  title: string;
  note: string;
  href: string;
  action: string;
  offReason?: string | undefined;
}

const SOON_MS = 7 * 86_400_000;

const unknownNeed = (): Need => ({
  id: 'low',
  icon: 'search',
  tone: '',
  title: words.lowStock,
  note: controlWords.searchOnText,
  href: `${BASE}/inventory?low=1`,
  action: controlWords.searchOn,
});

/** What a person should do, most urgent first. */
export function NeedsYou() {
  const now = useNow(10_000);
  const low = useQuery(lowStockQuery());
  const pets = useNamedPets();
  const keys = useQuery(keysQuery);
  const usage = useUsage();
  const advice = useAdvice();
  const first = useFirstSteps();
  // A need that comes later would move those below it.
  const isEarly = pets.isPending || first.isPending || [advice, keys, usage].some(isPending);
  return (
    <Card title={words.needsYou}>
      <Loaded query={low} rows={6} isHeld={isEarly}>
        {({ items, nextCursor }) => {
          const needs = [
            // Sample data that was not sent to its end.
            ...(keptRun() ? [sampleNeed(words.sampleBegun)] : []),
            ...stockNeeds(items, pets),
            ...(nextCursor && !items.length ? [unknownNeed()] : []),
            ...refusalNeeds(advice.data),
            ...keyNeeds(keys.data?.items ?? [], now),
            ...deprecationNeeds(usage.data, keys.data?.items ?? []),
          ];
          if (needs.length === 0 && !first.isDone) {
            return (
              <Empty icon="circle-check" title={words.nothing}>
                <p>{words.nothingNote}</p>
              </Empty>
            );
          }
          return (
            <div class="needs-area">
              {needs.length > 0 && <NeedList needs={needs} />}
              {first.isDone && (
                <section class="stack tight">
                  <h3>{checklistWords.title}</h3>
                  {!first.isDone.category && <NeedList needs={[sampleNeed(words.sample)]} />}
                  <FirstSteps isDone={first.isDone} />
                </section>
              )}
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}

function NeedList({ needs }: { needs: readonly Need[] }) {
  return (
    <ul class="needs">
      {needs.map((need) => (
        <li key={need.id}>
          <span class={`mark ${need.tone}`}>
            <Icon name={need.icon} />
          </span>
          <span>
            <strong>{need.title}</strong>
            <span class="second muted small">{need.note}</span>
          </span>
          <LinkButton href={need.href} size="small" offReason={need.offReason}>
            {need.action}
          </LinkButton>
        </li>
      ))}
    </ul>
  );
}

/** Leads to the dialog that fills the store. */
const sampleNeed = ([title, note, action]: readonly [string, string, string]): Need => ({
  id: 'sample',
  icon: 'package',
  tone: '',
  title,
  note,
  href: `${BASE}?sample=1`,
  action,
  offReason: scopeReason('write'),
});

function stockNeeds(items: readonly InventoryItem[], pets: ReadonlyMap<number, Pet>): Need[] {
  return lowestOf(items).map(({ petId, quantity, reserved, available }) => {
    const name = nameIn(pets, petId);
    const [title, note] =
      quantity === 0
        ? [words.soldOut(name), words.soldOutNote]
        : available === 0
          ? [words.allReserved(name), words.allReservedNote(quantity)]
          : [words.low(name, available), words.lowNote(quantity, reserved)];
    const href = `${BASE}/inventory?pet=${petId}&adjust=1`;
    return {
      id: `pet-${petId}`,
      icon: 'triangle-alert',
      tone: 'warn',
      title,
      note,
      href,
      action: words.restock,
      offReason: scopeReason('write'),
    };
  });
}

function refusalNeeds(advice: UsageAdvice | undefined): Need[] {
  const own = advice?.plans.find(({ plan }) => plan === advice.plan);
  if (!advice || !own || own.refused === 0) return [];
  const isBetter = advice.recommended !== session.value!.plan;
  const note = isBetter
    ? words.planFits(limitWords.plans[advice.recommended] ?? advice.recommended)
    : words.planNote;
  return [
    {
      id: 'refused',
      icon: 'hourglass',
      tone: 'bad',
      title: words.wereRefused(own.refused),
      note,
      href: `${BASE}/plan`,
      action: words.compare,
    },
  ];
}

function keyNeeds(keys: readonly Key[], now: number): Need[] {
  return keys
    .filter(({ expiresAt, revokedAt, parentId }) => {
      const left = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt) - now;
      return parentId === undefined && revokedAt === undefined && left > 0 && left < SOON_MS;
    })
    .map(({ id, name, expiresAt, lastUsedAt }) => ({
      id: `key-${id}`,
      icon: 'key-round',
      tone: '',
      title: words.keyEnds(name, ago(expiresAt!, now)),
      note: lastUsedAt === undefined ? words.keyUnused : words.keyUsed(past(lastUsedAt, now)),
      href: `${BASE}/keys`,
      action: words.rotate,
    }));
}

function deprecationNeeds(usage: Usage | undefined, keys: readonly Key[]): Need[] {
  return (usage?.deprecated ?? []).slice(0, 2).map(({ keyId, operationId, calls, sunset }) => ({
    id: `deprecated-${keyId}-${operationId}`,
    icon: 'hourglass',
    tone: '',
    title: words.deprecated(keys.find(({ id }) => id === keyId)?.name ?? keyId, operationId),
    note: words.deprecatedNote(calls, date(sunset)),
    href: `${BASE}/usage`,
    action: words.how,
  }));
}
