import { useEffect, useReducer, useState } from 'preact/hooks';
import { queryValue, setQuery } from '../router.ts';
import { TextField } from '../ui/fields/field.tsx';
import { useSettled } from './use-settled.ts';

export interface AddressFieldProps {
  /** The parameter of the address. */
  name: string;
  label: string;
  placeholder?: string;
  inputMode?: 'numeric';
  pattern?: RegExp;
  isSearch?: boolean;
  width: 'narrow' | 'grow';
}

/** A field whose value goes into the address once the user stops typing. */
export function AddressField(props: AddressFieldProps) {
  const { name, label, placeholder, inputMode, pattern, isSearch, width } = props;
  const inAddress = queryValue(name) ?? '';
  const [text, setText] = useState(inAddress);
  const [, drawAgain] = useReducer((version: number) => version + 1, 0);
  const settled = useSettled(text);
  useEffect(() => {
    if (settled !== inAddress) setQuery({ [name]: settled, cursor: undefined }, { replace: true });
  }, [settled]);
  useEffect(() => {
    if (inAddress !== settled) setText(inAddress);
  }, [inAddress]);
  return (
    <div class={width}>
      <TextField
        label={label}
        isBare={isSearch}
        type={isSearch ? 'search' : 'text'}
        icon={isSearch ? 'search' : undefined}
        inputMode={inputMode}
        placeholder={placeholder}
        value={text}
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
