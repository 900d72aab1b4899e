import type { Movement } from '@petstore/client';
import { session } from '../api/session.ts';
import { Icon } from '../ui/icons/icon.tsx';
import type { IconName } from '../ui/icons/icon-paths.ts';
import { controlWords } from '../words/controls.ts';
import { movementWords as words } from '../words/movements.ts';

interface CauseLook {
  icon: IconName;
  tone: string;
  /** The service lets such a row be taken back; orders are cancelled instead. */
  canUndo?: true;
}

const looks: Record<Movement['cause'], CauseLook> = {
  created: { icon: 'plus', tone: 'text-good' },
  set: { icon: 'pencil', tone: 'muted', canUndo: true },
  adjusted: { icon: 'truck', tone: 'text-good', canUndo: true },
  reserved: { icon: 'lock', tone: 'text-warn' },
  released: { icon: 'undo-2', tone: 'muted' },
  fulfilled: { icon: 'check', tone: 'text-good' },
  sold: { icon: 'check', tone: 'text-good', canUndo: true },
};

/** A newer service may have causes that this console does not know. */
function lookOf({ cause }: Movement): CauseLook {
  return looks[cause] ?? { icon: 'pencil', tone: 'muted' };
}

/** Whether a row can be taken back. */
export function canUndo(movement: Movement): boolean {
  return lookOf(movement).canUndo === true && movement.reversedBy === undefined;
}

/** What kind of change it was. */
export function Cause({ movement }: { movement: Movement }) {
  const { icon, tone } = lookOf(movement);
  return (
    <span class={`cause ${tone}`}>
      <Icon name={icon} size={16} />
      {words.causes[movement.cause] ?? movement.cause}
    </span>
  );
}

/** Why: its order, or its reason and reference. */
export function whyOf({ orderId, reason, reference }: Movement): string {
  if (orderId !== undefined) return words.order(orderId);
  return controlWords.dotted(reason, reference);
}

/** What it did to the counts: on hand if that changed, else the reserved units. */
export function changeText(movement: Movement): string {
  const onHand = movement.quantityAfter - movement.quantityBefore;
  const reserved = movement.reservedAfter - movement.reservedBefore;
  if (onHand !== 0) return words.onHand(onHand);
  return reserved === 0 ? words.unchanged : words.reserved(reserved);
}

/** "3 → 9", and the reserved units where only these changed. */
export function beforeAfterText(movement: Movement): string {
  const { quantityBefore, quantityAfter, reservedBefore, reservedAfter } = movement;
  if (quantityBefore !== quantityAfter) return words.fromTo(quantityBefore, quantityAfter);
  return words.reservedFromTo(reservedBefore, reservedAfter);
}

/** The name of the key that did it; without one it was the service, unless `none` says otherwise. */
export function whoOf(
  { keyId }: { keyId?: string | undefined },
  names: ReadonlyMap<string, string>,
  none = words.service,
): string {
  if (keyId === undefined) return none;
  if (keyId === session.value?.keyId) return words.thisConsole;
  return names.get(keyId) ?? keyId;
}
