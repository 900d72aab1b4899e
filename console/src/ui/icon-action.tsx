import { Icon } from './icons/icon.tsx';
import type { IconName } from './icons/icon-paths.ts';

export interface IconActionProps {
  icon: IconName;
  /** Names the thing and what is done with it. */
  label: string;
  /** Whether `e` presses it in its row. */
  isEdit?: boolean;
  /** Why it is off. It stays reachable, so that the reason can be read. */
  offReason?: string | undefined;
  onClick: () => void;
}

/** A small button in the row of a list. */
export function IconAction({ icon, label, isEdit, offReason, onClick }: IconActionProps) {
  return (
    <button
      type="button"
      class="button quiet icon-only small"
      aria-label={label}
      title={offReason ?? label}
      aria-disabled={offReason !== undefined || undefined}
      data-edit={isEdit || undefined}
      onClick={() => {
        if (offReason === undefined) onClick();
      }}
    >
      <Icon name={icon} size={16} />
    </button>
  );
}
