import type { Order, Pet } from '@petstore/client';
import { isPending, useQuery } from '../../api/query.ts';
import { may, type Scope } from '../../api/session.ts';
import { ORDER_STATES, usePetByReference, usePets } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { isNamed, searchFor } from '../../parts/name-words.ts';
import { searchStatus } from '../../parts/pet-picker.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { BASE, navigate } from '../../router.ts';
import { routes } from '../../routes.ts';
import type { IconName } from '../../ui/icons/icon-paths.ts';
import { controlWords } from '../../words/controls.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { paletteWords as words } from '../../words/shell/palette.ts';
import { leaveAndSignOut } from '../topbar.tsx';

/** Something that the palette can open or do. */
export interface Entry {
  id: string;
  icon: IconName;
  text: string;
  note: string;
  /** What else it is called. */
  alias?: string;
  run: () => void;
}

const MIN_LETTERS = 2;
const SHOWN = 8;

/** Whether the key may open a screen and act there. Every screen reads. */
const mayOpen = (scope: Scope) => may('read') && may(scope);

const goTo = (path: string) => () => navigate(`${BASE}${path}`);

function screens(): Entry[] {
  return routes
    .filter(({ group, scope }) => group !== undefined && mayOpen(scope))
    .map(({ name, icon, path }) => ({
      id: name,
      icon: icon!,
      text: navigationWords.titles[name],
      note: words.screens,
      run: goTo(path),
    }));
}

/** What can be done from everywhere, and the scope that it takes. */
function actions(): Entry[] {
  const { titles } = navigationWords;
  const all: [Scope | undefined, IconName, string, () => void, alias?: string][] = [
    ['write', 'shopping-cart', titles.newOrder, goTo('/orders/new'), words.newOrder],
    ['write', 'package', words.adjust, goTo('/inventory?adjust=1')],
    ['write', 'package', titles.count, goTo('/inventory/count')],
    ['manage', 'key-round', words.createKey, goTo('/keys?create=1'), words.newKey],
    [undefined, 'log-out', navigationWords.signOut, leaveAndSignOut],
  ];
  return all
    .filter(([scope]) => scope === undefined || mayOpen(scope))
    .map(([, icon, text, run, alias = '']) => {
      return { id: `do-${text}`, icon, text, note: words.actions, run, alias };
    });
}

const petEntry = ({ id, name, reference }: Pet): Entry => ({
  id: `pet-${id}`,
  icon: 'paw-print',
  text: name,
  note: words.pet(id, reference),
  run: goTo(`/inventory?pet=${id}`),
});

const whoseOf = ({ customer, reference }: Order) => controlWords.dotted(customer, reference);

/** Screens and actions by their name, pets by name, number and reference, orders by number, customer and reference. */
export function useEntries(text: string): { entries: Entry[]; status: string } {
  const settled = useSettled(text);
  const isNumber = /^\d{1,15}$/.test(settled);
  const q = searchFor(settled);
  const isEnabled = settled.length >= MIN_LETTERS && q !== undefined && may('read');
  const query = { q, limit: SHOWN };
  const latest = { ...query, sort: '-id', state: ORDER_STATES } as const;
  const pets = useQuery({
    key: ['listPets', query],
    read: (signal) => store.pets.list(query, { signal }),
    isEnabled,
    keepsPrevious: true,
  });
  const orders = useQuery({
    key: ['listOrders', latest],
    read: (signal) => store.orders.list(latest, { signal }),
    isEnabled,
    keepsPrevious: true,
  });
  const isUnnamed = isEnabled && !isPending(pets) && !pets.data?.items.length;
  const byReference = usePetByReference(isUnnamed ? settled : '');
  const byNumber = usePets(isNumber && may('read') ? [Number(settled)] : undefined);
  // Records of an earlier text stay until those of this one are there, as far as they fit.
  const isShown = text.length >= MIN_LETTERS;
  const numbered = [...byNumber.values()].filter(({ id }) => String(id) === text);
  const named = pets.data?.items.filter(({ name }) => isNamed(name, text)) ?? [];
  const referred = byReference?.reference === text ? [byReference] : [];
  const found = [...numbered, ...(isShown ? [...named, ...referred] : [])];
  const ordered = isShown ? (orders.data?.items ?? []) : [];
  const error = pets.error ?? orders.error;
  const isBusy = pets.isFetching || orders.isFetching || settled !== text || error !== null;
  const entries = [
    ...(/^\d{1,15}$/.test(text) ? [orderEntry(Number(text))] : []),
    ...[...screens(), ...actions()].filter((entry) =>
      isNamed(`${entry.text} ${entry.alias}`, text),
    ),
    ...[...new Map(found.map((pet) => [pet.id, pet])).values()].map(petEntry),
    ...ordered
      .filter((order) => isNamed(whoseOf(order), text) && String(order.id) !== text)
      .map((order) => orderEntry(order.id, whoseOf(order))),
  ];
  const isSearching = isBusy && isShown && may('read');
  return { entries, status: searchStatus(isSearching ? error : null, isSearching, words.nothing) };
}

const orderEntry = (id: number, whose?: string): Entry => ({
  id: `order-${id}`,
  icon: 'shopping-cart',
  text: whose === undefined ? words.goToOrder(String(id)) : words.order(id, whose),
  note: words.orders,
  run: goTo(`/orders/${id}`),
});
