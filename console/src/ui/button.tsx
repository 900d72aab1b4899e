import type { ComponentChildren, MouseEventHandler } from 'preact';
import { Icon } from './icons/icon.tsx';
import type { IconName } from './icons/icon-paths.ts';
import { say } from './say.ts';

export interface ButtonProps {
  id?: string;
  children?: ComponentChildren;
  icon?: IconName | undefined;
  look?: 'primary' | 'plain' | 'quiet' | 'danger';
  size?: 'small' | 'normal';
  type?: 'button' | 'submit';
  /** Required for a button that shows an icon only. */
  label?: string;
  /** Why the button is off. It stays reachable, and says the reason when it is pressed: a touch has no tooltip. */
  offReason?: string | undefined;
  isBusy?: boolean;
  /** Whether Tab passes it by: keys of the field beside it do the same. */
  isSkipped?: boolean;
  /** Whether `e` presses it in its row. */
  isEdit?: boolean;
  onClick?: MouseEventHandler<HTMLButtonElement>;
}

export function Button(props: ButtonProps) {
  const {
    children,
    icon,
    look = 'plain',
    size = 'normal',
    type = 'button',
    label,
    offReason,
    isBusy,
  } = props;
  const isOff = offReason !== undefined || isBusy === true;
  return (
    <button
      id={props.id}
      type={type}
      class={`button ${look} ${size}${children === undefined ? ' icon-only' : ''}`}
      aria-label={label}
      title={offReason ?? (children === undefined ? label : undefined)}
      aria-disabled={isOff || undefined}
      aria-description={offReason}
      data-edit={props.isEdit}
      tabIndex={props.isSkipped ? -1 : undefined}
      onClick={(event) => {
        if (!isOff) return props.onClick?.(event);
        event.preventDefault();
        if (offReason !== undefined) say(offReason, { tone: 'hint' });
      }}
    >
      {icon && <Icon name={icon} size={size === 'small' ? 16 : 18} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

interface LinkButtonProps {
  href: string;
  children: ComponentChildren;
  icon?: IconName;
  look?: 'primary' | 'plain' | 'quiet';
  size?: 'small' | 'normal';
  /** Why it leads nowhere now. */
  offReason?: string | undefined;
}

/** A link that looks like a button. */
export function LinkButton({
  href,
  children,
  icon,
  look = 'plain',
  size = 'normal',
  offReason,
}: LinkButtonProps) {
  if (offReason !== undefined) {
    return (
      <Button icon={icon} look={look} size={size} offReason={offReason}>
        {children}
      </Button>
    );
  }
  return (
    <a href={href} class={`button ${look} ${size}`}>
      {icon && <Icon name={icon} size={size === 'small' ? 16 : 18} />}
      <span>{children}</span>
    </a>
  );
}

interface IconActionProps extends Pick<ButtonProps, 'isEdit' | 'offReason'> {
  icon: IconName;
  /** Names the thing and what is done with it. */
  label: string;
  onClick: () => void;
}

/** A small button in the row of a list. */
export function IconAction(props: IconActionProps) {
  return <Button look="quiet" size="small" {...props} />;
}
