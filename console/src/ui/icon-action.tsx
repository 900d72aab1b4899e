import { Button, type ButtonProps } from './button.tsx';
import type { IconName } from './icons/icon-paths.ts';

export interface IconActionProps extends Pick<ButtonProps, 'isEdit' | 'offReason'> {
  icon: IconName;
  /** Names the thing and what is done with it. */
  label: string;
  onClick: () => void;
}

/** A small button in the row of a list. */
export function IconAction(props: IconActionProps) {
  return <Button look="quiet" size="small" {...props} />;
}
