import { signal } from '@preact/signals';
import { type IconName, iconPaths } from './icon-paths.ts';

export interface IconProps {
  name: IconName;
  size?: number;
}

/** The icons that the first screen does not need. They are here once the other screens are loaded. */
export const moreIcons = signal<Readonly<Record<string, string>>>({});

/** A picture beside words; the words say what it means. */
export function Icon({ name, size = 18 }: IconProps) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={pathOf(name)} />
    </svg>
  );
}

function pathOf(name: IconName): string {
  return (iconPaths as Readonly<Record<string, string>>)[name] ?? moreIcons.value[name] ?? '';
}
