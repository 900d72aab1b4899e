import type { Key } from '@petstore/client';
import { session } from '../../api/session.ts';
import { movementWords as words } from '../../words/movements.ts';

/** The name of a key, and the id while the names are unknown. */
export function keyName(id: string, keys: readonly Key[] | undefined): string {
  if (id === session.value?.keyId) return words.thisConsole;
  return keys?.find((each) => each.id === id)?.name ?? id;
}

export function KeyName({ id, keys }: { id: string; keys: readonly Key[] | undefined }) {
  const key = keys?.find((each) => each.id === id);
  const isSession = id === session.value?.keyId || key?.parentId !== undefined;
  const name = keyName(id, keys);
  return (
    <>
      <span class={name === id ? 'strong mono' : 'strong name'}>{name}</span>
      {name !== id && <span class="second mono">{isSession ? id : key?.hint}</span>}
    </>
  );
}
