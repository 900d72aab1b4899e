import type { InventoryItem, Pet } from '@petstore/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useQuery } from '../api/query.ts';
import { knowPet, usePetName } from '../api/shared-queries.ts';
import { store } from '../api/store.ts';
import { Combobox } from '../ui/fields/combobox.tsx';
import { inventoryWords } from '../words/inventory.ts';
import { newOrderWords as words } from '../words/orders.ts';
import { isNamed, searchFor } from './name-words.ts';
import { useSettled } from './use-settled.ts';

export interface PetPickerProps {
  label: string;
  petId: number | undefined;
  onChange: (petId: number | undefined) => void;
  placeholder?: string;
  error?: string | undefined;
  isBare?: boolean;
  isFocused?: boolean;
  isFilter?: boolean;
}

const SHOWN = 8;

/** Finds a pet by words of its name. Two requests for each pause in typing: the pets, and their units. */
export function PetPicker({ petId, onChange, ...field }: PetPickerProps) {
  const name = usePetName(petId);
  const chosenName = petId === undefined ? '' : name;
  const [text, setText] = useState(chosenName);
  const shown = useRef(chosenName);
  useEffect(() => {
    // Where the choice is taken away by other means than typing, its name goes too.
    if (petId !== undefined || text === shown.current) setText(chosenName);
    shown.current = chosenName;
  }, [petId, chosenName]);
  const settled = useSettled(text.trim());
  const query = { q: searchFor(settled), limit: SHOWN };
  const isEnabled = query.q !== undefined && petId === undefined;
  const { data, isFetching } = useQuery({
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
  const isSearching = isFetching || settled !== text.trim();
  // Until the pets of this text are there, those of an earlier one stay, as far as they fit.
  const isOffered = ({ name }: Pet) => isNamed(name, text);
  const pets = petId === undefined && searchFor(text) ? (data?.items.filter(isOffered) ?? []) : [];
  return (
    <Combobox
      {...field}
      text={text}
      onText={(value) => {
        setText(value);
        if (petId !== undefined) onChange(undefined);
      }}
      options={pets.map((pet) =>
        optionOf(
          pet,
          stock.data?.items.find((item) => item.petId === pet.id),
        ),
      )}
      onChoose={({ id, text: name }) => {
        const pet = pets.find((each) => String(each.id) === id);
        if (pet) knowPet(pet);
        setText(name);
        onChange(Number(id));
      }}
      status={
        pets.length > 0
          ? words.matches(pets.length)
          : isSearching
            ? words.searching
            : words.noMatch(text.trim())
      }
    />
  );
}

/** The name, and how many units can be sold. A pet on hold has units and cannot be ordered. */
function optionOf({ id, name, status }: Pet, item: InventoryItem | undefined) {
  const isFree = item !== undefined && status === 'available';
  const isHeld = item !== undefined && status === 'pending' && item.available > 0;
  const state = inventoryWords.badges[isHeld ? 'held' : status];
  return { id: String(id), text: name, note: isFree ? words.petNote(item.available) : state };
}
