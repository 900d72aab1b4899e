import type { Pet } from '@petstore/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useQuery } from '../api/query.ts';
import { knowPet, usePetName } from '../api/shared-queries.ts';
import { store } from '../api/store.ts';
import { Combobox } from '../ui/fields/combobox.tsx';
import { inventoryWords } from '../words/inventory.ts';
import { newOrderWords as words } from '../words/orders.ts';
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

/** Finds a pet by the beginning of its name. One request for each pause in typing. */
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
  const query = { name: settled, limit: SHOWN };
  const { data, isFetching } = useQuery({
    key: ['listPets', query],
    read: (signal) => store.pets.list(query, { signal }),
    isEnabled: settled !== '' && petId === undefined,
    keepsPrevious: true,
  });
  const isSearching = isFetching || settled !== text.trim();
  const pets = petId === undefined && text.trim() !== '' ? (data?.items ?? []) : [];
  return (
    <Combobox
      {...field}
      text={text}
      onText={(value) => {
        setText(value);
        if (petId !== undefined) onChange(undefined);
      }}
      options={pets.map(optionOf)}
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

function optionOf({ id, name, status }: Pet) {
  return { id: String(id), text: name, note: words.petNote(inventoryWords.badges[status], id) };
}
