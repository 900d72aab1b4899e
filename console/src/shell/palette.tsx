import { useEffect, useId, useState } from 'preact/hooks';
import { useQuery } from '../api/query.ts';
import { may } from '../api/session.ts';
import { store } from '../api/store.ts';
import { isNamed, searchFor } from '../parts/name-words.ts';
import { useSettled } from '../parts/use-settled.ts';
import { BASE, navigate } from '../router.ts';
import { routes } from '../routes.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons/icon.tsx';
import type { IconName } from '../ui/icons/icon-paths.ts';
import { navigationWords } from '../words/shell/navigation.ts';
import { paletteWords as words } from '../words/shell/palette.ts';
import { isPaletteOpen } from './shortcuts.ts';

interface Entry {
  id: string;
  icon: IconName;
  text: string;
  note: string;
  href: string;
}

const MIN_LETTERS = 2;

/** Finds screens, pets by the beginning of their name, and orders by their number. */
export function Palette() {
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const id = useId();
  const entries = useEntries(text.trim());
  const current = Math.min(selected, entries.length - 1);
  const currentId = entries[current] && `${id}-${entries[current].id}`;
  useEffect(() => {
    if (currentId) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  const close = () => {
    isPaletteOpen.value = false;
  };
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    navigate(entry.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && entries.length > 0) {
      event.preventDefault();
      setSelected((current + step + entries.length) % entries.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(entries[current]);
    }
  };
  return (
    <Dialog title={words.label} onClose={close} width="wide">
      <div class="palette">
        <input
          class="input"
          role="combobox"
          aria-label={words.label}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={currentId}
          placeholder={words.placeholder}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setSelected(0);
          }}
          onKeyDown={onKeyDown}
          spellcheck={false}
          autocomplete="off"
          autoFocus
        />
        <div id={`${id}-list`} role="listbox" aria-label={words.label} class="palette-list">
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field opens the selected entry.
            // biome-ignore lint/a11y/useFocusableInteractive: see above.
            <div
              key={entry.id}
              id={`${id}-${entry.id}`}
              role="option"
              aria-selected={index === current}
              onClick={() => open(entry)}
            >
              <Icon name={entry.icon} />
              <span class="name">{entry.text}</span>
              <span class="muted small">{entry.note}</span>
            </div>
          ))}
        </div>
        {entries.length === 0 && <p class="muted">{words.nothing}</p>}
      </div>
    </Dialog>
  );
}

function useEntries(text: string): Entry[] {
  const settled = useSettled(text);
  const isName = settled.length >= MIN_LETTERS && !/^\d+$/.test(settled);
  const q = searchFor(settled);
  const { data } = useQuery({
    key: ['listPets', { q, limit: 8 }],
    read: (signal) => store.pets.list({ q, limit: 8 }, { signal }),
    isEnabled: isName && q !== undefined && may('read'),
    keepsPrevious: true,
  });
  const lower = text.toLowerCase();
  const screens = routes
    .filter(({ group, scope }) => group !== undefined && may(scope))
    .map((route): Entry => {
      const title = navigationWords.titles[route.name];
      return {
        id: route.name,
        icon: route.icon!,
        text: title,
        note: words.screens,
        href: `${BASE}${route.path}`,
      };
    })
    .filter((entry) => entry.text.toLowerCase().includes(lower));
  const orders: Entry[] = /^\d+$/.test(text)
    ? [
        {
          id: 'order',
          icon: 'shopping-cart',
          text: words.goToOrder(text),
          note: words.orders,
          href: `${BASE}/orders/${text}`,
        },
      ]
    : [];
  // Pets of an earlier text stay until those of this one are there, as far as they fit.
  const fitting = data?.items.filter(({ name }) => isNamed(name, text));
  const pets = (isName ? (fitting ?? []) : []).map(
    (pet): Entry => ({
      id: `pet-${pet.id}`,
      icon: 'paw-print',
      text: pet.name,
      note: words.pets,
      href: `${BASE}/inventory?pet=${pet.id}`,
    }),
  );
  return [...orders, ...screens, ...pets];
}
