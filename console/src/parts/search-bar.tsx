import { AddressField } from './address-field.tsx';

interface SearchBarProps {
  /** Of the parameter in the address. */
  name: string;
  label: string;
  placeholder: string;
}

/** The search above a list that has no other filter. */
export function SearchBar(props: SearchBarProps) {
  return (
    <div class="filters">
      <AddressField {...props} isSearch />
    </div>
  );
}
