import { beforeAll, describe, expect, it } from 'vitest';
import type { OrderView as Order } from '../../../src/operations/views/order.ts';
import { Shop } from '../../store/shop.ts';

const details = {
  reference: 'WEB-2041',
  customer: 'Zoë Müller-Lüdenscheidt',
  note: 'Ring twice.',
  metadata: { channel: 'web', __proto__x: '' },
};

describe('what is noted about an order', () => {
  let shop: Shop;
  let pet: number;
  beforeAll(async () => {
    shop = await Shop.open();
    pet = await shop.addPet({ quantity: 1_000 });
  });
  const place = (body: object) => shop.do('POST', '/store/orders', { petId: pet, ...body }, 201);
  const patch = (id: number, body: object) => shop.send('PATCH', `/store/orders/${id}`, body);
  const read = (id: number) => shop.do('GET', `/store/orders/${id}`);
  const idsOf = async (query: string) =>
    (await shop.do<Order[]>('GET', `/store/orders?limit=100&${query}`)).map(({ id }) => id);
  const lastEvent = async () => (await shop.do('GET', '/events?type=order.*&limit=100')).at(-1);

  it('is kept by placeOrder, alone and complete, and by placeOrders, and is in the events', async () => {
    const open = await place(details);
    const complete = await place({ ...details, complete: true });
    const batch = await shop.do('POST', '/store/orders/batch', {
      orders: [{ petId: pet, ...details }, { petId: pet }],
    });
    const [first, second] = batch.results.map(({ order }: { order: Order }) => order);
    for (const order of [open, complete, first]) {
      expect(order).toMatchObject(details);
      expect(await read(order.id)).toEqual(order);
    }
    for (const name of Object.keys(details)) expect(second).not.toHaveProperty(name);
    const events = await shop.do('GET', '/events?type=order.placed&limit=100');
    const shown = new Map(
      events.map(({ data }: { data: { order: Order } }) => [data.order.id, data.order]),
    );
    for (const order of [open, complete, first, second]) expect(shown.get(order.id)).toEqual(order);
  });

  it('is trimmed, and refused when it is blank, too long or has control characters', async () => {
    const { reference, customer, note } = await place({
      reference: ' R 1\u00a0',
      customer: '  Bea ',
      note: ' n ',
    });
    expect([reference, customer, note]).toEqual(['R 1', 'Bea', 'n']);
    const id = (await place({})).id;
    const before = await shop.stateOf(pet);
    for (const [field, max] of [
      ['reference', 100],
      ['customer', 100],
      ['note', 500],
    ] as const) {
      for (const text of ['', '  ', 'a\nb', 'x'.repeat(max + 1), 7, ['x']]) {
        for (const answer of [
          await shop.send('POST', '/store/orders', { petId: pet, [field]: text }),
          await patch(id, { [field]: text }),
        ]) {
          expect([answer.status, answer.body.details?.[0]?.field], String(text)).toEqual([
            400,
            field,
          ]);
        }
      }
      expect((await patch(id, { [field]: 'é'.repeat(max) })).status).toBe(200);
    }
    const refused = await shop.send('POST', '/store/orders', { petId: pet, customer: null });
    expect(refused.status).toBe(400);
    expect((await shop.stateOf(pet)).item).toEqual(before.item);
  });

  it('changes while the order is open, null clears it, and the event has the earlier values', async () => {
    const { id } = await place(details);
    const changed = { reference: 'X', customer: 'Ada', note: 'n', metadata: { channel: 'till' } };
    expect((await patch(id, changed)).body).toMatchObject({
      ...changed,
      metadata: { ...details.metadata, channel: 'till' },
    });
    expect(await lastEvent()).toMatchObject({
      type: 'order.updated',
      data: { order: await read(id) },
      before: details,
    });
    const none = { reference: null, customer: null, note: null, metadata: null };
    const cleared = (await patch(id, none)).body;
    for (const name of Object.keys(none)) expect(cleared).not.toHaveProperty(name);
    expect(await read(id)).toEqual(cleared);
    const { sequence } = await lastEvent();
    for (const same of [{ metadata: {} }, none]) expect((await patch(id, same)).status).toBe(200);
    expect((await lastEvent()).sequence).toBe(sequence);
  });

  it('stays when the order ends; then the customer alone can be removed, in every state', async () => {
    const ended = [
      await place({ ...details, complete: true }),
      await place({ ...details, reference: 'gone' }),
    ];
    await shop.do('DELETE', `/store/orders/${ended[1].id}`, undefined, 204);
    for (const { id, state } of [await read(ended[0].id), await read(ended[1].id)]) {
      const before = await read(id);
      const stock = await shop.stateOf(pet);
      expect(before).toMatchObject(details.note ? { note: details.note } : {});
      const code = state === 'complete' ? 'order_complete' : 'order_ended';
      for (const body of [
        { customer: 'Ada' },
        { note: null },
        { customer: null, note: null },
        { metadata: {} },
      ]) {
        const refused = await patch(id, body);
        expect([refused.status, refused.body.code]).toEqual([409, code]);
      }
      const { customer, ...rest } = before;
      const forgotten = await patch(id, { customer: null });
      expect([forgotten.status, forgotten.body]).toEqual([200, rest]);
      expect(await read(id)).toEqual(rest);
      const event = await lastEvent();
      expect(event).toMatchObject({ type: 'order.updated', before: { customer } });
      expect(event.data.order).toEqual(rest);
      expect((await patch(id, { customer: null })).body).toEqual(rest);
      expect((await lastEvent()).sequence).toBe(event.sequence);
      expect((await shop.stateOf(pet)).ledger).toEqual(stock.ledger);
      const all = 'state=complete&state=cancelled';
      expect(await idsOf(`${all}&customer=ludenscheidt`)).not.toContain(id);
      expect(await idsOf(`${all}&q=${rest.reference}`)).toContain(id);
    }
  });

  it('is searched by words: customer and reference, or the customer alone', async () => {
    const ada = (await place({ customer: 'Ada Lovelace', reference: 'Engine 1843' })).id;
    const grace = (await place({ customer: 'Grace Hopper', reference: 'Ada-77' })).id;
    const both = (await place({ reference: 'only-LOVE', complete: true })).id;
    expect(await idsOf('q=ada')).toEqual([ada, grace]);
    expect(await idsOf('customer=ADA')).toEqual([ada]);
    expect(await idsOf('q=love+engine')).toEqual([ada]);
    expect(await idsOf('q=love')).toEqual([ada, both]);
    expect(await idsOf('q=love&customer=ada')).toEqual([ada]);
    expect(await idsOf('q=ada&customer=gra&sort=-id')).toEqual([grace]);
    expect(await idsOf('q=ada&state=complete')).toEqual([]);
    expect(await idsOf('q=lövelace')).toEqual([ada]);
    await patch(ada, { customer: 'Augusta King', reference: null });
    expect(await idsOf('q=love')).toEqual([both]);
    expect(await idsOf('customer=king')).toEqual([ada]);
    await shop.do('DELETE', `/store/orders/${ada}`, undefined, 204);
    expect(await idsOf('customer=king')).toEqual([]);
    expect(await idsOf('customer=king&state=cancelled')).toEqual([ada]);
    for (const query of ['q=', 'q=--', 'customer=a+b+c+d+e+f']) {
      expect((await shop.call('GET', `/store/orders?${query}`)).status, query).toBe(400);
    }
    const key = await shop.app.addWorkspace();
    expect((await shop.call('GET', '/store/orders?q=love', { key })).body).toEqual([]);
  });
});
