import type { InventoryItem, Page, Pet } from '@petstore/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { errorText } from '../api/errors.ts';
import { isPaused, pause, request } from '../api/limits.ts';
import { isWaiting, useQuery } from '../api/query.ts';
import { knowPet, usePetByReference, usePetName, useStock } from '../api/shared-queries.ts';
import { store } from '../api/store.ts';
import { Combobox } from '../ui/fields/combobox.tsx';
import { controlWords } from '../words/controls.ts';
import { inventoryWords } from '../words/inventory.ts';
import { newOrderWords as words } from '../words/orders.ts';
import { isNamed, searchFor, wordsIn } from './name-words.ts';
import { sayError } from './say-error.ts';
import { useSettled } from './use-settled.ts';

interface PetPickerProps {
  label: string;
  petId: number | undefined;
  /** Also gets the stock of the pet, if the list has shown it. */
  onChange: (petId: number | undefined, item?: InventoryItem) => void;
  placeholder?: string;
  error?: string | undefined;
  isBare?: boolean;
  isFocused?: boolean;
  isFilter?: boolean;
}

const SHOWN = 8;

/**
 * Finds a pet by words of its name or by its reference. Two requests for each pause in typing: the pets, and their units;
 * one more for the reference if no name fits. A scanner types a reference and Enter, which chooses its pet at once. Enter
 * after words waits for the answer, and chooses the one pet that they mean.
 */
export function PetPicker({ petId, onChange, ...field }: PetPickerProps) {
  const name = usePetName(petId);
  const chosenName = petId === undefined ? '' : name;
  const [text, setText] = useState(chosenName);
  const shown = useRef(chosenName);
  useEffect(() => {
    const before = shown.current;
    shown.current = chosenName;
    // Where the choice is taken away by other means than typing, its name goes too. What was typed meanwhile stays.
    if (chosenName !== before)
      setText((now) => (petId !== undefined || now === before ? chosenName : now));
  }, [petId, chosenName]);
  const settled = useSettled(text.trim());
  const query = { q: searchFor(settled), limit: SHOWN };
  const isEnabled = query.q !== undefined && petId === undefined;
  const { data, isFetching, error } = useQuery({
    key: ['listPets', query],
    read: (signal) => store.pets.list(query, { signal }),
    isEnabled,
    keepsPrevious: true,
  });
  const stock = useQuery({
    key: ['listInventory', query],
    read: (signal) => store.inventory.list(query, { signal }),
    isEnabled,
    keepsPrevious: true,
  });
  const isSearching = isFetching || error !== null || settled !== text.trim();
  // Until the pets of this text are there, those of an earlier one stay, as far as they fit.
  const named = searchFor(text)
    ? (data?.items.filter(({ name }) => isNamed(name, text)) ?? [])
    : [];
  const isUnnamed = petId === undefined && !isSearching && named.length === 0;
  const byReference = usePetByReference(isUnnamed ? settled : '');
  const found = byReference && useful(byReference, text);
  const pets = petId === undefined ? [...named, ...(found ? [found] : [])] : [];
  const units = useStock(found && [found.id]);
  const itemOf = ({ id }: Pet) =>
    units.get(id) ?? stock.data?.items.find(({ petId }) => petId === id);
  const choose = (pet: Pet) => {
    knowPet(pet);
    setText(pet.name);
    onChange(pet.id, itemOf(pet));
  };
  /** A text with Enter behind it, which waits for its answer. */
  const [entered, setEntered] = useState<string | undefined>(undefined);
  const latest = useRef('');
  latest.current = text.trim();
  const findReference = async () => {
    const reference = text.trim();
    const { items } = await request(() => store.pets.list({ reference: [reference] }));
    // What was typed meanwhile means another pet.
    if (latest.current !== reference) return;
    if (items[0]) choose(items[0]);
    else setEntered(reference);
  };
  useEffect(() => {
    if (entered === undefined || (isSearching && entered === text.trim())) return;
    setEntered(undefined);
    const pet = entered === text.trim() && petId === undefined && meant(named, text, data);
    if (pet) choose(pet);
  }, [entered, isSearching, text]);
  return (
    <Combobox
      {...field}
      text={text}
      onText={(value) => {
        setText(value);
        if (petId !== undefined) onChange(undefined);
      }}
      isOld={isSearching}
      options={pets.map((pet) => optionOf(pet, itemOf(pet)))}
      onChoose={({ id }) => choose(pets.find((pet) => String(pet.id) === id)!)}
      onEnter={
        petId === undefined && text.trim() !== ''
          ? () => void findReference().catch(sayError)
          : undefined
      }
      status={
        petId !== undefined
          ? ''
          : pets.length > 0
            ? words.matches(pets.length)
            : searchStatus(error, isSearching, words.noMatch(text.trim()))
      }
    />
  );
}

/** The pet, if this text is its reference. */
const useful = (pet: Pet, text: string) => (pet.reference === text.trim() ? pet : undefined);

/** The one pet whose name is this text, or the only one that is found by it. */
function meant(pets: readonly Pet[], text: string, page: Page<Pet> | undefined): Pet | undefined {
  const same = pets.filter(({ name }) => `${wordsIn(name)}` === `${wordsIn(text)}`);
  const [pet, other] = same.length > 0 || page?.nextCursor ? same : pets;
  return other ? undefined : pet;
}

/** The name, and how many units can be sold. A pet on hold has units and cannot be ordered. */
function optionOf({ id, name, status }: Pet, item: InventoryItem | undefined) {
  const isFree = item !== undefined && status === 'available';
  const isHeld = item !== undefined && status === 'pending' && item.available > 0;
  const state = inventoryWords.badges[isHeld ? 'held' : status];
  return { id: String(id), text: name, note: isFree ? words.petNote(item.available) : state };
}

/** What a search without results says: why it failed, that it still runs or waits, or that there are none. */
export function searchStatus(error: unknown, isSearching: boolean, none: string): string {
  if (error !== null && !isWaiting(error)) return errorText(error);
  if (!isSearching) return none;
  return isPaused.value ? controlWords.waitingTitles[pause.value!.kind] : controlWords.searching;
}
