import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useQuery } from '../api/query.ts';
import { allKeysQuery } from '../api/shared-queries.ts';
import { address, queryValue, setFilter } from '../router.ts';
import { SelectField } from '../ui/fields/field.tsx';
import { Icon } from '../ui/icons/icon.tsx';
import { controlWords as words } from '../words/controls.ts';
import { AddressField } from './address-field.tsx';

/** Of the address, these narrow no list. */
const OTHERS = new Set(['cursor', 'searched', 'sort', 'pet', 'adjust', 'name', 'q', 'words']);

/** The filters of a list. A narrow screen shows the search, and the others when they are asked for. */
export function FilterBar({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const active = [...address.value.searchParams.keys()].filter((name) => !OTHERS.has(name));
  return (
    <div class={`filters${isOpen ? ' open' : ''}`}>
      {children}
      <button
        type="button"
        class="button filters-switch"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="settings-2" />
        <span>{words.filters(active.length)}</span>
      </button>
    </div>
  );
}

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

interface KeyFilterProps {
  /** The parameter of the address. */
  name?: string;
  label?: string;
  /** What the choice of no key is called. */
  all?: string;
  /** What a key is called that the own workspace does not have. */
  missing?: string | undefined;
  /** Whether the list is the own workspace's. The keys of another one are not known here. */
  isOwn?: boolean;
}

/** Which key or session a list is about. */
export function KeyFilter(props: KeyFilterProps) {
  const { name = 'keyId', label = words.key, all = words.allKeys, missing, isOwn = true } = props;
  const own = useQuery(allKeysQuery).data?.items ?? [];
  const keys = isOwn ? own : [];
  return (
    <SelectField
      label={label}
      value={queryValue(name) ?? ''}
      missing={missing}
      options={[
        ['', all],
        // A key can have several sessions, and the list of sessions names them by their ids.
        ...keys.map(
          ({ id, name, parentId }) => [id, parentId ? words.dotted(name, id) : name] as const,
        ),
      ]}
      onChange={setFilter(name)}
    />
  );
}
