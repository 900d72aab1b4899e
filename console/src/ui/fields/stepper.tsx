import { Button } from '../button.tsx';
import { Field, type FieldProps } from './field.tsx';
import { selectsOnFocus } from './selects-on-focus.ts';

interface StepperProps extends Omit<FieldProps, 'children'> {
  value: string;
  onInput: (value: string) => void;
  /** The names of its buttons. */
  fewer: string;
  more: string;
  /** The number that its buttons make of this one. */
  stepped?: (by: 1 | -1) => number;
  /** Whether the number may be negative: the number pads of phones have no minus. */
  isSigned?: boolean;
  isFocused?: boolean;
}

/** A whole number, by typing, its buttons or the arrow keys; of 1 or more unless `stepped` says otherwise. */
export function Stepper(props: StepperProps) {
  const { value, onInput, fewer, more, isSigned, isFocused } = props;
  const { stepped = (by) => Math.max(1, (wholeNumber(value) ?? 0) + by) } = props;
  const step = (by: 1 | -1) => onInput(String(stepped(by)));
  return (
    <Field {...props}>
      {(control) => (
        <div class="stepper">
          <Button icon="minus" label={fewer} isSkipped onClick={() => step(-1)} />
          <input
            {...control}
            class="input"
            inputMode={isSigned ? 'text' : 'numeric'}
            autocomplete="off"
            value={value}
            // biome-ignore lint/a11y/noAutofocus: the first field of a dialog that the user opened.
            autoFocus={isFocused}
            // The minus sign that the console writes is not the hyphen of a keyboard.
            onInput={(event) => onInput(event.currentTarget.value.trim().replace('−', '-'))}
            onKeyDown={(event) => {
              const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : undefined;
              if (by === undefined) return;
              event.preventDefault();
              step(by);
            }}
            {...selectsOnFocus}
          />
          <Button icon="plus" label={more} isSkipped onClick={() => step(1)} />
        </div>
      )}
    </Field>
  );
}

/** The number of units that a text means: 1 to 9 digits, not 0. */
export function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}
