import { useEffect, useId, useState } from 'preact/hooks';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons/icon.tsx';
import { paletteWords as words } from '../../words/shell/palette.ts';
import { isPaletteOpen } from '../shortcuts.ts';
import { type Entry, useEntries } from './entries.ts';

/** Opens screens and records, and does what can be done from everywhere. */
export function Palette() {
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const id = useId();
  const { entries, status } = useEntries(text.trim());
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
    entry.run();
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
        {entries.length === 0 && <p class="muted">{status}</p>}
      </div>
    </Dialog>
  );
}
