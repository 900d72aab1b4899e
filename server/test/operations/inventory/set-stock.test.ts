import { beforeAll, describe, expect, it } from 'vitest';
import { countsOf, Shop } from '../../store/shop.ts';
import { expectDocumented, expectError } from '../../support/contract.ts';

let shop: Shop;

beforeAll(async () => {
  shop = await Shop.open();
});

function send(body: unknown, { key, search = '' }: { key?: string; search?: string } = {}) {
  const options = key === undefined ? { body } : { body, key };
  return shop.call('POST', `/inventory/batch${search}`, options);
}

describe('setStock', () => {
  it('sets counts and adds units, with a ledger row and an event for each', async () => {
    const [counted, delivered, same] = [
      await shop.addPet({ quantity: 4 }),
      await shop.addPet({ held: true }),
      await shop.addPet({ quantity: 7 }),
    ];
    const items = [
      { petId: counted, quantity: 9, reason: 'stock-take', reference: 'ST-1' },
      { petId: delivered, delta: 2, reason: 'delivery' },
      { petId: same, quantity: 7 },
    ];
    const answer = await send({ items });
    expect(answer.status, answer.text).toBe(200);
    expectDocumented('setStock', answer);
    expect(answer.body).toMatchObject({ changed: 2, unchanged: 1, refused: 0 });
    const [first, second, third] = answer.body.results;
    expect(countsOf(first.movement)).toEqual(['set', [4, 9], [0, 0]]);
    expect(first.movement).toMatchObject({ reason: 'stock-take', reference: 'ST-1' });
    expect(countsOf(second.movement)).toEqual(['adjusted', [1, 3], [0, 0]]);
    expect(third).toEqual({});
    expect((await shop.stateOf(counted)).ledger.at(-1)).toEqual(first.movement);
    expect((await shop.stateOf(delivered)).pet.status).toBe('pending');
    expect((await shop.stateOf(same)).ledger).toHaveLength(2);
    const events = await shop.do('GET', '/events?limit=100&type=inventory.adjusted');
    expect(events.slice(-2).map(({ data }: { data: object }) => data)).toMatchObject([
      { movement: first.movement, inventory: { petId: counted, quantity: 9 } },
      { movement: second.movement, inventory: { petId: delivered, status: 'pending' } },
    ]);
  });

  it('refuses all when a count is below what is reserved, and says which', async () => {
    const [free, reserved] = [await shop.addPet(), await shop.addPet({ quantity: 5 })];
    await shop.order(reserved, 3);
    const items = [
      { petId: free, quantity: 8 },
      { petId: reserved, quantity: 2 },
    ];
    const answer = await send({ items });
    expectError(answer, 'below_reserved');
    expectDocumented('setStock', answer);
    const details = { index: 1, petId: reserved, reserved: 3, quantity: 2, available: 2 };
    expect(answer.body.details).toEqual(details);
    expect((await shop.stateOf(free)).item.quantity).toBe(1);
  });

  it('skips in mode each what is refused, malformed or unknown', async () => {
    const [free, reserved, other] = [
      await shop.addPet(),
      await shop.addPet({ quantity: 5 }),
      await shop.addPet(),
    ];
    await shop.order(reserved, 3);
    const items = [
      { petId: free, quantity: 8 },
      { petId: reserved, quantity: 2 },
      { petId: 999_999_999, quantity: 2 },
      { petId: other, delta: 2 },
      { petId: other, delta: 2, quantity: 3, reason: 'both' },
      null,
      { petId: other, delta: 1_000_000_000, reason: 'too much' },
    ];
    const answer = await send({ items, mode: 'each' });
    expect(answer.status, answer.text).toBe(200);
    expectDocumented('setStock', answer);
    expect(answer.body).toMatchObject({ changed: 1, unchanged: 0, refused: 6 });
    const outcomes = answer.body.results.map(
      ({ error }: { error?: { code: string; details?: { field: string }[] } }) =>
        error && [error.code, Array.isArray(error.details) ? error.details[0]!.field : undefined],
    );
    expect(outcomes).toEqual([
      undefined,
      ['below_reserved', undefined],
      ['invalid_request', 'petId'],
      ['invalid_request', 'reason'],
      ['invalid_request', 'delta'],
      ['invalid_request', 'body'],
      ['invalid_request', 'delta'],
    ]);
    expect(answer.body.results[1].error.details).toMatchObject({ reserved: 3 });
    expect((await shop.stateOf(free)).item.quantity).toBe(8);
    expect((await shop.stateOf(other)).item.quantity).toBe(1);
  });

  it('names every invalid item in mode all', async () => {
    const petId = await shop.addPet();
    const items = [{ petId, quantity: 3 }, { petId: 999_999_999, quantity: 1 }, { quantity: -1 }];
    const answer = await send({ items });
    expectError(answer, 'invalid_request');
    const fields = answer.body.details.map(({ field }: { field: string }) => field);
    expect(fields.toSorted()).toEqual(['items.1.petId', 'items.2.petId', 'items.2.quantity']);
    expect((await shop.stateOf(petId)).item.quantity).toBe(1);
  });

  it('refuses a pet that is there twice, in any mode', async () => {
    const petId = await shop.addPet();
    const items = [
      { petId, quantity: 3 },
      { petId, delta: 1, reason: 'found' },
    ];
    for (const mode of ['all', 'each']) {
      const answer = await send({ items, mode });
      expectError(answer, 'invalid_request');
      expect(answer.body.details[0].field).toBe('items.1.petId');
    }
    expect((await shop.stateOf(petId)).item.quantity).toBe(1);
  });

  it('shows in a dry run what the ledger would say, without id and instant', async () => {
    const [petId, same] = [await shop.addPet(), await shop.addPet()];
    const items = [
      { petId, quantity: 3 },
      { petId: same, quantity: 1 },
    ];
    const { body } = await send({ items }, { search: '?dryRun=true' });
    expect(body).toMatchObject({ changed: 1, unchanged: 1, refused: 0 });
    expect(countsOf(body.results[0].movement)).toEqual(['set', [1, 3], [0, 0]]);
    expect(Object.keys(body.results[0].movement)).not.toContain('id');
    expect(Object.keys(body.results[0].movement)).not.toContain('at');
    expect(body.results[1]).toEqual({});
    expect((await shop.stateOf(petId)).item.quantity).toBe(1);
  });

  it('costs one request for every 100 items, and does nothing where they are not left', async () => {
    const limits = { perMinute: 6, perDay: 1_000 };
    const input = { name: 'Stock-takers', plan: 'enterprise', limits };
    const { key } = (await shop.do('POST', '/admin/workspaces', input, 201)).key;
    await shop.call('POST', '/categories', { key, body: { name: 'Dogs' } });
    const own = await shop.call('GET', '/categories', { key });
    const pet = { name: 'Rex', categoryId: own.body[0].id };
    const petId = (await shop.call('POST', '/pets', { key, body: pet })).body.id;
    const items = Array.from({ length: 250 }, (_, at) => {
      return at === 0 ? { petId, quantity: 4 } : { petId: 900_000_000 + at, quantity: 1 };
    });
    // Three of the six requests are spent.
    const first = await send({ items, mode: 'each' }, { key });
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
    expect(first.body).toMatchObject({ changed: 1, refused: 249 });
    items[0] = { petId, quantity: 9 };
    shop.app.clock.advance(61_000);
    await shop.call('GET', '/categories', { key });
    await send({ items: items.slice(0, 1), mode: 'each' }, { key, search: '?dryRun=true' });
    await shop.call('GET', '/categories', { key });
    await shop.call('GET', '/categories', { key });
    const second = await send({ items, mode: 'each' }, { key });
    expectError(second, 'rate_limit_exceeded');
    const left = await shop.call('GET', `/inventory/${petId}`, { key });
    expect(left.body.quantity).toBe(4);
  });

  it('takes 1 to 1,000 items', async () => {
    const items: { petId: number; quantity: number }[] = [];
    while (items.length < 1_000) {
      const pets = Array.from({ length: 100 }, () => ({ name: 'Rex', categoryId: 1 }));
      for (const { pet } of (await shop.do('POST', '/pets/batch', { pets })).results) {
        items.push({ petId: pet.id, quantity: items.length + 2 });
      }
    }
    expectError(await send({ items: [] }), 'invalid_request');
    expectError(await send({ items: [...items, { petId: 1, quantity: 1 }] }), 'invalid_request');
    // A slow machine may not be done in the time that a request has; it has then done nothing.
    let answer = await send({ items });
    while (answer.status === 503) answer = await send({ items });
    expect(answer.body).toMatchObject({ changed: 1_000, unchanged: 0, refused: 0 });
    for (const at of [0, 500, 999]) {
      const { petId, quantity } = items[at]!;
      const { movement } = answer.body.results[at];
      expect([movement.petId, movement.quantityAfter]).toEqual([petId, quantity]);
      const { item, ledger } = await shop.stateOf(petId);
      expect([item.quantity, ledger.at(-1)]).toEqual([quantity, movement]);
    }
  });

  it('refuses a count of stock that has changed since, and says what came between', async () => {
    const [sold, still] = [await shop.addPet({ quantity: 6 }), await shop.addPet({ quantity: 4 })];
    const orderId = await shop.order(sold);
    await shop.do('PATCH', `/store/orders/${orderId}`, { complete: true });
    // The sale is still named among them: what is only reserved is still on hand.
    for (const quantity of [1, 1, 1, 1, 1]) await shop.order(sold, quantity);
    const items = [
      { petId: sold, quantity: 6, expected: 6 },
      { petId: still, quantity: 3, expected: 4 },
    ];
    const all = await send({ items });
    expectError(all, 'stock_changed');
    expect(all.body.details).toMatchObject({ index: 0, petId: sold, expected: 6, quantity: 5 });
    expect((await shop.stateOf(still)).ledger).toHaveLength(2);
    const each = await send({ mode: 'each', items });
    expectDocumented('setStock', each);
    expect(each.body).toMatchObject({ changed: 1, refused: 1 });
    const { error } = each.body.results[0];
    expect(error.code).toBe('stock_changed');
    const between = { cause: 'fulfilled', quantityBefore: 6, quantityAfter: 5, orderId };
    expect(error.details).toMatchObject({ expected: 6, quantity: 5, movements: [between] });
    expect(error.details.movements).toHaveLength(1);
    const delta = await send({ items: [{ petId: still, delta: 1, reason: 'found', expected: 4 }] });
    expectError(delta, 'stock_changed');
  });

  it('compares with what is expected also where the count would not change, and shows at most 5 rows', async () => {
    const petId = await shop.addPet({ quantity: 1 });
    for (let quantity = 2; quantity < 10; quantity++) {
      await shop.do('PATCH', `/inventory/${petId}`, { quantity });
    }
    const answer = await send({ items: [{ petId, quantity: 9, expected: 1 }] });
    expectError(answer, 'stock_changed');
    expect(answer.body.details.movements).toHaveLength(5);
    expect((await send({ items: [{ petId, quantity: 9, expected: 9 }] })).body.unchanged).toBe(1);
  });
});
