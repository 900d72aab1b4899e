import { useEffect, useReducer, useState } from 'preact/hooks';
import { queryValue, setQuery } from '../router.ts';
import { TextField } from '../ui/fields/field.tsx';
import { instantIn, toLocalInput } from '../ui/local-time.ts';
import { controlWords as words } from '../words/controls.ts';
import { useSettled } from './use-settled.ts';

interface AddressFieldProps {
  /** The parameter of the address. */
  name: string;
  label: string;
  placeholder?: string;
  inputMode?: 'numeric';
  pattern?: RegExp;
  /** It takes the room that other fields leave. */
  isSearch?: boolean;
  /** The field shows the reader's time. The address has the instant, so a link means the same in every time zone. */
  type?: 'date' | 'datetime-local';
  /** Whether a day counts until its end. */
  isEnd?: boolean;
  /** The latest time, in local time. A later one does not go into the address. */
  max?: string;
  /** Parameters that cannot stand beside it. */
  clears?: readonly string[];
  width?: 'narrow' | 'share';
}

/** A field whose value goes into the address once the user stops typing. */
export function AddressField(props: AddressFieldProps) {
  const {
    name,
    label,
    placeholder,
    inputMode,
    pattern,
    isSearch,
    type,
    isEnd,
    max,
    clears = [],
    width = 'share',
  } = props;
  const given = queryValue(name);
  const inAddress = type
    ? toLocalInput(instantIn(given, isEnd)).slice(0, type === 'date' ? 10 : 16)
    : (given ?? '');
  const [text, setText] = useState(inAddress);
  const [, drawAgain] = useReducer((version: number) => version + 1, 0);
  const settled = useSettled(text);
  const isLate = max !== undefined && settled > max;
  useEffect(() => {
    // While a year is typed, the field holds the year 2, then 20, then 202.
    if (settled === inAddress || (type && settled.startsWith('0')) || isLate) return;
    const others = Object.fromEntries([...clears, 'cursor'].map((each) => [each, undefined]));
    setQuery({ ...others, [name]: type ? instantIn(settled, isEnd) : settled }, { replace: true });
  }, [settled]);
  useEffect(() => {
    if (inAddress !== settled) setText(inAddress);
  }, [inAddress]);
  return (
    <div class={isSearch ? 'grow' : width}>
      <TextField
        label={label}
        isBare={isSearch}
        type={isSearch ? 'search' : (type ?? 'text')}
        icon={isSearch ? 'search' : undefined}
        inputMode={inputMode}
        placeholder={placeholder}
        value={text}
        maxLength={200}
        max={max}
        error={isLate ? words.notFuture : undefined}
        onInput={(value) => {
          if (pattern === undefined || pattern.test(value)) setText(value);
          // The text is as before, and the field is not.
          else drawAgain(undefined);
        }}
        isFilter={isSearch}
      />
    </div>
  );
}

/** The days that the address asks for, as lists take them. Anything that it cannot mean is left out. */
export function periodInAddress() {
  const last = instantIn(queryValue('to'), true);
  return {
    from: instantIn(queryValue('from')),
    // The service takes the first millisecond that is left out.
    to: last && instantIn(new Date(Date.parse(last) + 1).toISOString()),
  };
}

/** The first and the last day of a list. */
export function PeriodFields() {
  return (
    <>
      <AddressField type="date" name="from" label={words.from} />
      <AddressField type="date" name="to" isEnd label={words.to} />
    </>
  );
}
