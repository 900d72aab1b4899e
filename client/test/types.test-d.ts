// What the compiler knows of the client. `npm run check` compiles this file; nothing runs it.

import { expectTypeOf } from 'vitest';
import {
  type AnyErrorCode,
  ConflictError,
  type DetailsOf,
  type ErrorCode,
  type EventBatch,
  type FieldFault,
  type Order,
  type Page,
  type Pet,
  Petstore,
  type PetstoreEvent,
  RateLimitError,
  verifyWebhook,
  type WebhookDelivery,
} from '../src/petstore.ts';

const store = new Petstore();

// A code narrows itself and its details.
{
  const err = new ConflictError({ code: 'insufficient_stock', message: '', status: 409 });
  expectTypeOf(err.code).toEqualTypeOf<AnyErrorCode>();
  expectTypeOf(err.details).toBeUnknown();
  if (err.is('insufficient_stock')) {
    expectTypeOf(err.code).toEqualTypeOf<'insufficient_stock'>();
    expectTypeOf(err.details.available).toBeNumber();
    expectTypeOf(err.details.index).toEqualTypeOf<number | undefined>();
    // @ts-expect-error no fact of this code
    err.details.reserved;
  }
  if (err.is('invalid_request')) {
    expectTypeOf(err.details).toEqualTypeOf<readonly FieldFault[] | undefined>();
  }
  if (err.is('timeout')) expectTypeOf(err.details).toBeUnknown();
  // @ts-expect-error a code that does not exist
  err.is('insufficient_stok');
  expectTypeOf<'pet_on_hold'>().toExtend<ErrorCode>();
  expectTypeOf<DetailsOf<'quota_exceeded'>['limit']>().toEqualTypeOf<'day'>();
  const limited = new RateLimitError({ code: 'key_banned', message: '', status: 429 });
  if (limited.is('key_banned')) {
    expectTypeOf(limited.details.until).toBeString();
    expectTypeOf(limited.retryAfterSeconds).toBeNumber();
  }
}

// Records of responses have the fields that every response has.
{
  const order = await store.orders.get(1, { signal: new AbortController().signal });
  expectTypeOf(order).toEqualTypeOf<Order>();
  expectTypeOf(order.id).toBeNumber();
  expectTypeOf(order.petId).toBeNumber();
  expectTypeOf(order.quantity).toBeNumber();
  expectTypeOf(order.complete).toBeBoolean();
  expectTypeOf(order.state).toEqualTypeOf<'open' | 'complete' | 'cancelled' | 'expired'>();
  expectTypeOf(order.shipDate).toEqualTypeOf<string | undefined>();
  expectTypeOf(await store.orders.get(1, { ifNoneMatch: '"1"' })).toEqualTypeOf<
    Order | undefined
  >();
  expectTypeOf(await store.orders.place({ petId: 1 }, { dryRun: true })).toEqualTypeOf<
    Omit<Order, 'id'>
  >();
  expectTypeOf(await store.orders.list()).toEqualTypeOf<Page<Order>>();
  expectTypeOf((await store.keys.create({ name: 'shop', scopes: ['read'] })).key).toBeString();
  expectTypeOf((await store.keys.rotate('id')).key).toBeString();
  expectTypeOf((await store.webhooks.create({ url: 'https://a.test' })).secret).toBeString();
  const { key } = await store.workspace.signUp({ name: 'Paws' });
  expectTypeOf(key.key).toBeString();
}

// Rows of a batch: which field one has tells what happened to it.
{
  const { results } = await store.orders.placeMany({ orders: [{ petId: 1 }], mode: 'each' });
  for (const row of results) {
    if (row.error) {
      expectTypeOf(row.order).toBeUndefined();
      if (row.error.code === 'insufficient_stock') {
        expectTypeOf(row.error.details.available).toBeNumber();
      }
    } else {
      expectTypeOf(row.order).toEqualTypeOf<Order>();
    }
  }
  const stock = await store.inventory.setMany({ items: [{ petId: 1, quantity: 2 }] });
  for (const row of stock.results) {
    if (row.movement) expectTypeOf(row.movement.id).toBeNumber();
  }
  const created = await store.pets.createMany({ pets: [{ name: 'Rex', categoryId: 1 }] });
  for (const row of created.results) {
    if (row.pet) expectTypeOf(row.pet).toEqualTypeOf<Pet>();
    else expectTypeOf(row.errors).toEqualTypeOf<{ field: string; message: string }[]>();
  }
  const tried = await store.pets.createMany({ pets: [] }, { dryRun: true });
  // @ts-expect-error a dry run creates no pet
  tried.results[0]!.pet;
  // @ts-expect-error the rows of mode each have their type, too
  await store.pets.createMany({ pets: [{ name: 'Rex' }], mode: 'each' });
  // @ts-expect-error the rows of mode each have their type, too
  await store.orders.placeMany({ orders: [{ quantity: 1 }], mode: 'each' });
}

// Bodies and options.
{
  await store.pets.list({ status: undefined, id: undefined }, { signal: undefined });
  const anyStatus = { status: null };
  await store.pets.update(1, anyStatus);
  // @ts-expect-error the text null is no status
  await store.pets.update(1, { status: 'null' });
  // @ts-expect-error an option that does not exist
  await store.orders.get(1, { petId: 7 });
  // @ts-expect-error a read without a query takes its options second
  await store.orders.get(1, {}, { timeoutMs: 1 });
  await store.inventory.get(1, { asOf: new Date() }, { maxWaitMs: 0 });
  expectTypeOf(await store.request('GET', '/pets/1')).toBeUnknown();
  expectTypeOf(await store.request<Pet>('GET', '/pets/1')).toEqualTypeOf<Pet>();
}

// Events and deliveries.
{
  for await (const event of store.events.stream()) {
    expectTypeOf(event).toEqualTypeOf<PetstoreEvent>();
    if (event.type === 'order.placed') expectTypeOf(event.data.order.id).toBeNumber();
  }
  const delivery = await verifyWebhook(new Headers(), '', 'whsec_', { toleranceSeconds: 60 });
  expectTypeOf(delivery).toEqualTypeOf<WebhookDelivery>();
  if (delivery.type === 'events.batch') expectTypeOf(delivery).toEqualTypeOf<EventBatch>();
  else if (delivery.type === 'ping') expectTypeOf(delivery.data.webhookId).toBeNumber();
  else expectTypeOf(delivery).toEqualTypeOf<PetstoreEvent>();
}
