import type { PetstoreEvent } from '@petstore/client';
import { useKeyNames, usePets } from '../../api/shared-queries.ts';
import { type Names, petIdOf } from './about.ts';

/** The names of the pets and keys of these events. */
export function useNames(events: readonly PetstoreEvent[] = []): Names {
  const pets = usePets(events.flatMap((event) => petIdOf(event) ?? []));
  const keys = useKeyNames(events);
  return { pets, keys };
}
