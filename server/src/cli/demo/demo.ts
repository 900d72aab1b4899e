import type { Transaction } from '../../datastore/datastore.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { Refusal } from '../../domain/errors.ts';
import type { Caller } from '../../domain/key.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { createPets } from '../../services/batches/pet-batches.ts';
import { findOrCreateCategory, updateCategory } from '../../services/categories.ts';
import { createKey } from '../../services/keys.ts';
import { recordAudit } from '../../services/logs/audit.ts';
import { updateAnyWorkspace } from '../../services/workspaces.ts';
import { plural, type StoreInvocation, UsageError } from '../command.ts';
import { getWorkspaceId, onStore } from '../on-store.ts';
import { type DemoStaff, demoAnimals, demoCategories, demoKeys } from './catalogue.ts';
import { planHistory } from './history.ts';
import { type DemoPet, Shop } from './shop.ts';
import { Timeline } from './timeline.ts';
import { writeUsage } from './usage-history.ts';

/** Shorter than events are kept for, so that the feed has all of it. */
const HISTORY_DAYS = 28;
const PETS_DEFAULT = 20;
const PETS_MAX = 1_000;
const LOW_STOCK_AT = 3;
const SHOAL = 40;
const SEED = 20_260_101;
/** The name of the workspace that the first start creates, and what the demo calls it. */
const FIRST_NAME = 'default';
const DEMO_NAME = 'Happy Paws';

interface Period {
  from: number;
  to: number;
}

/** Fills a workspace without pets with a store that has been open for four weeks. All of it is one transaction. */
export const demo = onStore(async (invocation: StoreInvocation) => {
  const { store, options, print } = invocation;
  const count = petCount(options.pets);
  const workspaceId = await getWorkspaceId(invocation);
  const filled = await store.transact((tx) => fill(tx, workspaceId, count));
  const { categories, pets, orders, openOrders } = filled;
  print(filled, [
    `${plural(pets, 'pet')} in ${categories} categories, ${plural(orders, 'order')}, ${openOrders} of them open`,
    'try: npx petstore stock list --available-below 3',
  ]);
});

function petCount(text: string | undefined): number {
  const count = text === undefined ? PETS_DEFAULT : /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > PETS_MAX) {
    throw new UsageError(`--pets takes an integer from 1 to ${PETS_MAX}`);
  }
  return count;
}

/** Keeps nothing in memory between calls: the datastore may run it again. */
async function fill(tx: Transaction, workspaceId: number, count: number) {
  const random = seededRandom(SEED);
  const workspace = (await tx.workspaces.findAndLock(workspaceId))!;
  await refusePets(tx, workspaceId);
  const period = await periodOf(tx, workspaceId);
  const staff = await hire(tx, workspace, period);
  const timeline = new Timeline(period);
  const shop = new Shop({ tx, staff, timeline });
  const pets = await stockUp(tx, { caller: staff.warehouse, now: period.from }, count);
  planHistory({ shop, timeline, random, ...period }, pets);
  await timeline.run();
  const keyIds = Object.fromEntries(
    Object.entries(staff).map(([name, { keyId }]) => [name, keyId]),
  ) as Record<DemoStaff, string>;
  await writeUsage(tx, { workspaceId, keyIds, random, ...period });
  for (const keyId of Object.values(keyIds)) await tx.keys.touch(keyId, period.to);
  const run = { action: 'command.run', target: 'workspace', now: period.to } as const;
  await recordAudit(tx, { workspaceId, ...run, after: { command: 'server demo', pets: count } });
  return { categories: demoCategories.length, pets: pets.length, ...shop.counts };
}

async function refusePets(tx: Transaction, workspaceId: number): Promise<void> {
  const { items } = await tx.pets.list(workspaceId, {}, { sort: 'id', limit: 1 });
  if (items.length === 0) return;
  throw new Refusal('invalid_request', {
    message: `workspace ${workspaceId} has pets; demo fills only a workspace without any: \`petstore server workspaces create --name demo\` makes one, and --workspace names it`,
  });
}

/** The ledger of the workspace is in the order of time: the demo begins after the last row that deleted pets have left. */
async function periodOf(tx: Transaction, workspaceId: number): Promise<Period> {
  const to = Date.now();
  const { items } = await tx.ledger.list(workspaceId, {}, { sort: '-id', limit: 1 });
  const lastAt = items[0]?.at ?? 0;
  const monthAgo = Math.floor(to / DAY_MS) * DAY_MS - HISTORY_DAYS * DAY_MS;
  return { from: Math.min(to, Math.max(monthAgo, lastAt)), to };
}

/** Creates the keys that the ledger names. Their texts are not shown, so no one can use them. */
async function hire(
  tx: Transaction,
  workspace: Workspace,
  { from }: Period,
): Promise<Record<DemoStaff, Caller>> {
  const { id: workspaceId, name, plan, limits, lowStockAt = LOW_STOCK_AT } = workspace;
  // A name that was given stays.
  const patch = { lowStockAt, ...(name === FIRST_NAME && { name: DEMO_NAME }) };
  await updateAnyWorkspace(tx, { id: workspaceId, patch, checkMatch: () => undefined, now: from });
  const staff: Partial<Record<DemoStaff, Caller>> = {};
  for (const [name, scopes] of Object.entries(demoKeys)) {
    const { record } = await createKey(tx, { workspaceId, key: { name, scopes }, now: from });
    staff[name as DemoStaff] = {
      keyId: record.id,
      workspaceId,
      scopes,
      plan,
      limits,
      lowStockAt,
    };
  }
  return staff as Record<DemoStaff, Caller>;
}

async function stockUp(
  tx: Transaction,
  change: { caller: Caller; now: number },
  count: number,
): Promise<DemoPet[]> {
  const categoryIds: number[] = [];
  for (const { name, description } of demoCategories) {
    const id = await findOrCreateCategory(tx, { ...change, name });
    const described = { ...change, id, patch: { description }, checkMatch: () => undefined };
    await updateCategory(tx, described);
    categoryIds.push(id);
  }
  const animals = demoAnimals(count);
  const rows = animals.map(({ name, reference, category, stock }) => {
    // Of animals that come in shoals, the store wants to know earlier.
    const threshold = stock < SHOAL ? {} : { lowStockAt: Math.ceil(stock / 10) };
    return { name, reference, categoryId: categoryIds[category]!, ...threshold };
  });
  const outcomes = await createPets(tx, {
    ...change,
    rows,
    isAllOrNothing: true,
    isUpdating: false,
  });
  return outcomes.map((outcome, at) => {
    if (!('pet' in outcome)) throw new Error('a pet of the demo was refused');
    return { ...animals[at]!, id: outcome.pet.id };
  });
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
