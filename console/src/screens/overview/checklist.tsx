import type { Movement } from '@petstore/client';
import { isPending, useQuery } from '../../api/query.ts';
import { type Scope, scopeReason } from '../../api/session.ts';
import { categoriesQuery, keysQuery } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { BASE } from '../../router.ts';
import { useUsage } from '../../shell/usage.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons/icon.tsx';
import { checklistWords as words } from '../../words/overview.ts';
import { movementsQuery } from './overview-queries.ts';

type Step = keyof typeof words.steps;

const links: Record<Step, readonly [path: string, scope: Scope]> = {
  category: ['/catalogue/categories', 'write'],
  pet: ['/catalogue', 'write'],
  stock: ['/inventory?adjust=1', 'write'],
  order: ['/orders/new', 'write'],
  key: ['/keys?create=1', 'manage'],
  webhook: ['/webhooks', 'manage'],
};

/**
 * What a new store needs, each ticked by what the store holds; undefined once all is done. A store whose whole ledger fits
 * on the overview is new.
 */
export function useFirstSteps() {
  const ledger = useQuery(movementsQuery);
  const isNew = ledger.data !== undefined && ledger.data.nextCursor === undefined;
  const movements = ledger.data?.items ?? [];
  // A pet has a category.
  const categories = useQuery({ ...categoriesQuery, isEnabled: isNew && movements.length === 0 });
  const keys = useQuery(keysQuery);
  const usage = useUsage();
  // The usage costs nothing, and knows whether there can be a webhook.
  const mayHaveWebhook = usage.data?.history.some(
    ({ operationId }) => operationId === 'createWebhook',
  );
  const webhooks = useQuery({
    key: ['listWebhooks', { limit: 1 }],
    read: (signal) => store.webhooks.list({ limit: 1 }, { signal }),
    isEnabled: isNew && mayHaveWebhook === true,
  });
  const isDone: Record<Step, boolean> = {
    category: movements.length > 0 || Boolean(categories.data?.items.length),
    pet: movements.length > 0,
    stock: movements.some(isStocking),
    order: movements.some(({ orderId }) => orderId !== undefined),
    // The first key is the one that signs in.
    key: (keys.data?.items.filter(({ parentId }) => parentId === undefined).length ?? 0) > 1,
    webhook: Boolean(webhooks.data?.items.length),
  };
  const areAllDone = Object.values(isDone).every(Boolean);
  return { isPending: isPending(ledger), isDone: isNew && !areAllDone ? isDone : undefined };
}

export function FirstSteps({ isDone }: { isDone: Record<Step, boolean> }) {
  return (
    <ol class="needs" aria-label={words.title}>
      {(Object.keys(links) as Step[]).map((step) => (
        <li key={step}>
          <span class={`mark ${isDone[step] ? 'good' : ''}`}>
            <Icon name={isDone[step] ? 'check' : 'plus'} />
          </span>
          <span>
            <strong>{words.steps[step][0]}</strong>
            {isDone[step] && <span class="visually-hidden"> {words.done}</span>}
            <span class="second muted small">{words.steps[step][1]}</span>
          </span>
          {!isDone[step] && (
            <LinkButton
              href={BASE + links[step][0]}
              size="small"
              offReason={scopeReason(links[step][1])}
            >
              {words.steps[step][2]}
            </LinkButton>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Whether it gave a pet its stock. A new pet has one unit. */
const isStocking = ({ cause, quantityAfter }: Movement) =>
  cause === 'set' || cause === 'adjusted' || (cause === 'created' && quantityAfter > 1);
