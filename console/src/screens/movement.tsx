import type { Movement } from '@petstore/client';
import { session } from '../api/session.ts';
import { Icon } from '../ui/icons/icon.tsx';
import type { IconName } from '../ui/icons/icon-paths.ts';
import { movementWords as words } from '../words/movements.ts';

const looks: Record<string, readonly [icon: IconName, tone: string]> = {
  created: ['plus', 'text-good'],
  set: ['pencil', 'muted'],
  adjusted: ['truck', 'text-good'],
  reserved: ['lock', 'text-warn'],
  released: ['undo-2', 'muted'],
  fulfilled: ['check', 'text-good'],
  sold: ['check', 'text-good'],
};

/** What kind of change it was. */
export function Cause({ movement }: { movement: Movement }) {
  const [icon, tone] = looks[movement.cause] ?? ['pencil', 'muted'];
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
  return [reason, reference].filter(Boolean).join(' · ');
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

/** The name of the key that made it. */
export function whoOf(
  { keyId }: { keyId?: string | undefined },
  names: ReadonlyMap<string, string>,
): string {
  if (keyId === undefined) return words.service;
  if (keyId === session.value?.keyId) return words.thisConsole;
  return names.get(keyId) ?? keyId;
}
