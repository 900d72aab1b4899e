import { type IconName, iconPaths } from './icon-paths.ts';

interface IconProps {
  name: IconName;
  size?: number;
}

/** A picture beside words; the words say what it means. */
export function Icon({ name, size = 18 }: IconProps) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={iconPaths[name]} />
    </svg>
  );
}
