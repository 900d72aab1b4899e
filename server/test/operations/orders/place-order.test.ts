import { beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../store/shop.ts';

describe('placeOrder', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  const place = (body: unknown) => shop.send('POST', '/store/orders', body);

  it('places an open order of one unit by default, with its Location', async () => {
    const pet = await shop.addPet();
    const placed = await place({ petId: pet });
    expect(placed.status).toBe(201);
    const { id, createdAt } = placed.body;
    const open = { complete: false, state: 'open' };
    expect(placed.body).toEqual({ id, petId: pet, quantity: 1, ...open, createdAt });
    expect(placed.headers.get('location')).toBe(`/v1/store/orders/${id}`);
    const read = await shop.call('GET', `/store/orders/${id}`);
    expect(read.text).toBe(placed.text);
    expect(read.headers.get('etag')).toBe(placed.headers.get('etag'));
  });

  it('takes the units at once when it is placed complete', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const placed = await place({ petId: pet, quantity: 2, complete: true });
    expect([placed.status, placed.body.complete]).toEqual([201, true]);
    expect((await shop.stateOf(pet)).item).toMatchObject({ quantity: 1, reserved: 0 });
  });

  it('sells the last unit by an order placed complete', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    await shop.order(pet, 3, { complete: true });
    const { pet: shown, item } = await shop.stateOf(pet);
    expect([shown.status, item.status, item.quantity]).toEqual(['sold', 'sold', 0]);
  });

  it.each([
    ['2026-12-24T10:00:00Z', '2026-12-24T10:00:00Z'],
    ['2026-12-24T10:00:00+02:00', '2026-12-24T08:00:00Z'],
    ['2026-12-31T23:30:00-05:30', '2027-01-01T05:00:00Z'],
    ['2026-12-24t10:00:00z', '2026-12-24T10:00:00Z'],
    ['2026-12-24T10:00:00.5Z', '2026-12-24T10:00:00.500Z'],
    ['2026-12-24T10:00:00.123456Z', '2026-12-24T10:00:00.123Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2000-02-29T00:00:00-00:00', '2000-02-29T00:00:00Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('takes the ship date %s and shows %s', async (shipDate, shown) => {
    const pet = await shop.addPet();
    const placed = await place({ petId: pet, shipDate });
    expect(placed.body.shipDate).toBe(shown);
    expect((await shop.do('GET', `/store/orders/${placed.body.id}`)).shipDate).toBe(shown);
  });

  it.each([
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-12-24T24:00:00Z',
    '2026-12-24T10:60:00Z',
    '2026-12-24T10:00:00',
    '2026-12-24',
    '2026-12-24 10:00:00Z',
    '2026-12-24T10:00:00+0200',
    '2026-12-24T10:00:00+24:00',
    '2026-12-24T10:00:00.Z',
    '9999-12-31T23:59:59-01:00',
    '+12026-12-24T10:00:00Z',
    'tomorrow',
    '',
    1_798_106_400,
    null,
  ])('refuses the ship date %j and names it', async (shipDate) => {
    const pet = await shop.addPet();
    const answer = await place({ petId: pet, shipDate });
    expect([answer.status, answer.body.details[0].field]).toEqual([400, 'shipDate']);
    expect((await shop.stateOf(pet)).orders).toEqual([]);
  });

  it('accepts the largest order, and a stock of many of them', async () => {
    const pet = await shop.addPet({ quantity: 1_000_000_000 });
    await shop.order(pet, 1_000_000);
    await shop.order(pet, 1_000_000);
    expect((await shop.stateOf(pet)).item.available).toBe(998_000_000);
  });

  it.each([
    ['no pet', (_: number) => ({ quantity: 1 }), 'petId'],
    ['a pet that is a text', (pet: number) => ({ petId: String(pet) }), 'petId'],
    ['pet 0', () => ({ petId: 0 }), 'petId'],
    ['pet null', () => ({ petId: null }), 'petId'],
    ['a quantity of 0', (petId: number) => ({ petId, quantity: 0 }), 'quantity'],
    ['a negative quantity', (petId: number) => ({ petId, quantity: -1 }), 'quantity'],
    ['a quantity beyond', (petId: number) => ({ petId, quantity: 1_000_001 }), 'quantity'],
    ['a fraction', (petId: number) => ({ petId, quantity: 1.5 }), 'quantity'],
    ['a quantity in a text', (petId: number) => ({ petId, quantity: '1' }), 'quantity'],
    ['quantity null', (petId: number) => ({ petId, quantity: null }), 'quantity'],
    ['complete as a text', (petId: number) => ({ petId, complete: 'true' }), 'complete'],
    ['complete as 1', (petId: number) => ({ petId, complete: 1 }), 'complete'],
    ['a field of no meaning', (petId: number) => ({ petId, status: 'placed' }), 'status'],
  ])('refuses %s, names the field and changes nothing', async (_, bodyOf, field) => {
    const pet = await shop.addPet({ quantity: 2_000_000 });
    const before = await shop.stateOf(pet);
    const answer = await place(bodyOf(pet));
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.details[0].field).toBe(field);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('refuses an id beyond 2^53-1 instead of ordering a rounded neighbour', async () => {
    const answer = await shop.call('POST', '/store/orders', {
      body: '{"petId":9007199254740993}',
    });
    expect([answer.status, answer.body.details[0].field]).toEqual([400, 'petId']);
  });

  it('ignores an id in the body', async () => {
    const pet = await shop.addPet();
    const placed = await place({ id: 123_456, petId: pet });
    expect(placed.status).toBe(201);
    expect(placed.body.id).not.toBe(123_456);
  });

  it('refuses an order of an absent, a deleted or a foreign pet alike, naming petId', async () => {
    const deleted = await shop.addPet({ quantity: 5 });
    await shop.deletePet(deleted);
    const foreign = await shop.addPet({ quantity: 5 });
    const key = await shop.app.addWorkspace();
    const answers = [
      await place({ petId: 999_999 }),
      await place({ petId: deleted }),
      await shop.call('POST', '/store/orders', { key, body: { petId: foreign } }),
    ];
    const unknown = {
      code: 'invalid_request',
      status: 400,
      details: [{ field: 'petId', message: 'names no pet of this workspace' }],
    };
    for (const answer of answers) expect(answer.body).toMatchObject(unknown);
    expect((await shop.stateOf(foreign)).item.reserved).toBe(0);
    expect((await shop.call('GET', '/store/orders', { key })).body).toEqual([]);
  });

  it('places once under one Idempotency-Key, also when it was refused', async () => {
    const pet = await shop.addPet({ quantity: 2 });
    const options = { body: { petId: pet }, headers: { 'idempotency-key': 'buy' } };
    const first = await shop.call('POST', '/store/orders', options);
    const again = await shop.call('POST', '/store/orders', options);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await shop.stateOf(pet)).item.reserved).toBe(1);
    const other = { ...options, body: { petId: pet, quantity: 1 } };
    const reused = await shop.call('POST', '/store/orders', other);
    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused']);
    const many = { body: { petId: pet, quantity: 9 }, headers: { 'idempotency-key': 'many' } };
    const refused = await shop.call('POST', '/store/orders', many);
    expect(refused.status).toBe(409);
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 50 });
    expect((await shop.call('POST', '/store/orders', many)).text).toBe(refused.text);
    expect((await shop.stateOf(pet)).item.reserved).toBe(1);
  });

  it('keeps equal Idempotency-Keys of two workspaces apart', async () => {
    const pet = await shop.addPet();
    const headers = { 'idempotency-key': 'shared' };
    const key = await shop.app.addWorkspace();
    expect(
      (await shop.call('POST', '/store/orders', { body: { petId: pet }, headers })).status,
    ).toBe(201);
    const other = await shop.call('POST', '/store/orders', { body: { petId: pet }, headers, key });
    expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([400, null]);
  });
});
