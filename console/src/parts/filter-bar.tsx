import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { address } from '../router.ts';
import { Icon } from '../ui/icons/icon.tsx';
import { controlWords as words } from '../words/controls.ts';

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
        <Icon name="sliders-horizontal" />
        <span>{words.filters(active.length)}</span>
      </button>
    </div>
  );
}
