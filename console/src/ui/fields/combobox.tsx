import { useEffect, useId, useState } from 'preact/hooks';
import { Field, type FieldProps } from './field.tsx';

interface ComboboxOption {
  id: string;
  text: string;
  note?: string;
}

interface ComboboxProps extends Omit<FieldProps, 'children'> {
  text: string;
  /** The user typed. */
  onText: (text: string) => void;
  options: readonly ComboboxOption[];
  onChoose: (option: ComboboxOption) => void;
  /** Enter was pressed before there is an option to choose. */
  onEnter?: (() => void) | undefined;
  /** Whether the options are those of an earlier text. Enter chooses one only if an arrow went to it. */
  isOld?: boolean;
  /** What a screen reader hears about the list: how many there are, or that there is none. */
  status: string;
  placeholder?: string;
  isFocused?: boolean;
  /** `/` goes to the field with this mark. */
  isFilter?: boolean;
}

/**
 * A field with a list of what it may mean, as the ARIA Authoring Practices describe it. The focus stays in the field:
 * the first option is active, arrows move through the list, Enter chooses, Escape closes the list and then empties the
 * field, except in a dialog, which it closes.
 */
export function Combobox(props: ComboboxProps) {
  const { text, onText, options, onChoose, onEnter, isOld, status, placeholder, isFocused } = props;
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const id = useId();
  const isShown = isOpen && text !== '';
  const current = isShown ? options[active] : undefined;
  const currentId = current && `${id}-${current.id}`;
  useEffect(() => {
    if (currentId) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  const choose = (option: ComboboxOption) => {
    setOpen(false);
    setActive(0);
    onChoose(option);
  };
  const move = (step: number) => {
    setOpen(true);
    if (isShown && options.length > 0) {
      setActive((active + step + options.length) % options.length);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && current && (!isOld || active > 0)) choose(current);
    else if (event.key === 'Enter' && onEnter) onEnter();
    else if (event.key === 'Escape' && isShown) setOpen(false);
    else if (event.key === 'Escape' && text !== '' && !isInDialog(event)) onText('');
    else return;
    event.preventDefault();
  };
  return (
    <Field {...props}>
      {(control) => (
        <div class="combobox">
          <input
            {...control}
            class="input"
            role="combobox"
            aria-expanded={isShown && options.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={currentId}
            value={text}
            placeholder={placeholder}
            autocomplete="off"
            spellcheck={false}
            data-filter={props.isFilter || undefined}
            // biome-ignore lint/a11y/noAutofocus: the first field of a form that the user opened.
            autoFocus={isFocused}
            onInput={(event) => {
              setOpen(true);
              setActive(0);
              onText(event.currentTarget.value);
            }}
            onKeyDown={onKeyDown}
            onBlur={() => setOpen(false)}
          />
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label={props.label}
            class="combobox-list"
            hidden={!isShown || options.length === 0}
          >
            {options.map((option, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses the active option.
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
              <div
                key={option.id}
                id={`${id}-${option.id}`}
                role="option"
                aria-selected={index === active}
                // The field keeps the focus, so that the list is still there when the button is released.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(option)}
              >
                <span class="name">{option.text}</span>
                {option.note !== undefined && <span class="muted small">{option.note}</span>}
              </div>
            ))}
          </div>
          <p role="status" class={options.length === 0 && isShown ? 'hint' : 'visually-hidden'}>
            {isShown ? status : ''}
          </p>
        </div>
      )}
    </Field>
  );
}

const isInDialog = ({ target }: Event) => (target as Element).closest('dialog') !== null;
