import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { controlWords as words } from '../../words/controls.ts';
import { Icon } from '../icons/icon.tsx';
import type { IconName } from '../icons/icon-paths.ts';
import { selectsOnFocus } from './selects-on-focus.ts';

export interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  isOptional?: boolean;
  /** Shows the label to screen readers only. */
  isBare?: boolean;
  /** Whether the error counts down. A screen reader says it once, not with every second. */
  isCounting?: boolean;
  children: (props: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: 'true';
  }) => ComponentChildren;
}

/** A label, a control, and what is wrong with its value. */
export function Field(props: FieldProps) {
  const { label, hint, error, isOptional, isBare, isCounting, children } = props;
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = error !== undefined || hint !== undefined;
  return (
    <div class="field">
      <label for={id} class={isBare ? 'visually-hidden' : undefined}>
        {label} {isOptional && <span class="muted">{words.optional}</span>}
      </label>
      {children({
        id,
        ...(hasNote && { 'aria-describedby': noteId }),
        ...(error !== undefined && { 'aria-invalid': 'true' as const }),
      })}
      {error === undefined ? (
        hint !== undefined && (
          <p id={noteId} class="hint">
            {hint}
          </p>
        )
      ) : (
        <FieldError id={noteId} isCounting={isCounting}>
          {error}
        </FieldError>
      )}
    </div>
  );
}

interface FieldErrorProps {
  id?: string;
  isCounting?: boolean | undefined;
  children: ComponentChildren;
}

/** What is wrong with a value. A screen reader says it when it appears. */
export function FieldError({ id, isCounting, children }: FieldErrorProps) {
  return (
    <p id={id} class="error" role="alert" aria-relevant={isCounting ? 'additions' : undefined}>
      {children}
    </p>
  );
}

export interface TextFieldProps extends Omit<FieldProps, 'children'> {
  value: string;
  onInput: (value: string) => void;
  type?: 'text' | 'password' | 'search' | 'url' | 'datetime-local' | 'date';
  inputMode?: 'numeric' | 'text';
  placeholder?: string;
  autocomplete?: string;
  icon?: IconName;
  isFocused?: boolean;
  maxLength?: number;
  /** The latest time that a date may be. */
  max?: string | undefined;
  /** `/` goes to the field with this mark. */
  isFilter?: boolean;
}

/** The browser says what is no date: one of which a part is missing, or one whose year has not four digits. */
export function TextField(props: TextFieldProps) {
  const {
    value,
    onInput,
    type = 'text',
    inputMode,
    placeholder,
    autocomplete = 'off',
    icon,
    isFocused,
  } = props;
  const [isNoDate, setNoDate] = useState(false);
  const isDate = type.startsWith('date');
  const clock = type === 'date' ? '' : 'T00:00';
  return (
    <Field {...props} error={props.error ?? (isNoDate ? words.noDate : undefined)}>
      {(control) => (
        <span class={icon ? 'input-with-icon' : undefined}>
          {icon && <Icon name={icon} />}
          <input
            {...control}
            class="input"
            type={type as 'text'}
            value={value}
            inputMode={inputMode}
            placeholder={placeholder}
            autocomplete={autocomplete}
            // biome-ignore lint/a11y/noAutofocus: the first field of a dialog that the user opened.
            autoFocus={isFocused}
            maxLength={props.maxLength}
            spellcheck={false}
            data-filter={props.isFilter || undefined}
            onInput={(event) => {
              setNoDate(false);
              onInput(event.currentTarget.value);
            }}
            {...(inputMode === 'numeric' && selectsOnFocus)}
            {...(isDate && {
              min: `1000-01-01${clock}`,
              max: props.max ?? `9999-12-31${clock}`,
              onInvalid: () => setNoDate(true),
              onBlur: ({ currentTarget }) => setNoDate(!currentTarget.validity.valid),
            })}
          />
        </span>
      )}
    </Field>
  );
}

export interface SelectFieldProps extends Omit<FieldProps, 'children'> {
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  /** What a value is called that is not offered and can still be the one that is chosen. */
  missing?: string;
  onChange: (value: string) => void;
}

export function SelectField(props: SelectFieldProps) {
  const { value, options, missing = value, onChange } = props;
  const others = options.some(([each]) => each === value) ? [] : [[value, missing] as const];
  return (
    <Field {...props}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {[...options, ...others].map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}

/** One of a few, side by side. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([each, text]) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            checked={each === value}
            onChange={() => onChange(each)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
