import type { PetstoreEvent as Event, Pet } from '@petstore/client';
import { nameIn } from '../../api/shared-queries.ts';
import { dateTime } from '../../ui/format.ts';
import { eventWords as words } from '../../words/events.ts';
import { limitWords } from '../../words/shell/limits.ts';

export function typeName(type: string): string {
  return words.types[type] ?? type;
}

/** The names that events have only ids of. */
export interface Names {
  pets: ReadonlyMap<number, Pick<Pet, 'name'>>;
  keys: ReadonlyMap<string, string>;
}

/** The pet that the event tells of, if it does not have its name. */
export function petIdOf({ data }: Event): number | undefined {
  if ('pet' in data) return undefined;
  if ('order' in data) return data.order.petId;
  return 'inventory' in data ? data.inventory.petId : undefined;
}

/** What the event is about, in a few words. A type that this page does not know yet has none. */
export function aboutOf(event: Event, names: Names): string {
  const petText = (id: number) => words.pet(nameIn(names.pets, id), id);
  switch (event.type) {
    case 'pet.created':
    case 'pet.updated':
    case 'pet.deleted':
      return event.data.pet.name;
    case 'category.created':
    case 'category.updated':
    case 'category.deleted':
      return event.data.category.name;
    case 'inventory.adjusted': {
      const { petId, quantity, reserved } = event.data.inventory;
      return words.petStock(petText(petId), quantity, reserved);
    }
    case 'inventory.low':
      return words.petLow(petText(event.data.inventory.petId), event.data.inventory.available);
    case 'order.placed':
    case 'order.updated':
    case 'order.fulfilled':
    case 'order.cancelled':
    case 'order.expired': {
      const { id = 0, quantity = 0, petId = 0 } = event.data.order;
      return words.order(id, quantity, petText(petId));
    }
    default:
      return aboutAccount(event, names);
  }
}

function aboutAccount(event: Event, { keys }: Names): string {
  switch (event.type) {
    case 'workspace.updated': {
      const { name, plan } = event.data.workspace;
      return words.plan(name, limitWords.plans[plan] ?? plan);
    }
    case 'key.created':
    case 'key.rotated':
    case 'key.revoked':
      return event.data.key.name;
    case 'ban.started':
    case 'ban.lifted': {
      const { keyId, until } = event.data.ban;
      return words.ban(words.key(keys.get(keyId) ?? keyId, keyId), dateTime(until));
    }
    case 'limit.warning':
    case 'limit.reached':
      return words.limit(event.data.used, event.data.max);
    case 'deprecation.used':
      return event.data.operationId;
    case 'webhook.failing':
    case 'webhook.disabled':
    case 'webhook.parked':
      return event.data.webhook.url;
    default:
      return '';
  }
}
