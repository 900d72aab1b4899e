import { beforeAll, describe, expect, it } from 'vitest';
import { absentIds, countsOf, malformedIds, Shop } from '../../store/shop.ts';

describe('updateInventory', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });

  it('sets the count and writes who, why and what for into the ledger', async () => {
    const pet = await shop.addPet();
    const body = { quantity: 12, reason: 'stocktaking', reference: 'ST-7' };
    const item = await shop.do('PATCH', `/inventory/${pet}`, body);
    const shown = { petId: pet, quantity: 12, reserved: 0, available: 12, status: 'available' };
    expect(item).toEqual(shown);
    const { item: read, ledger } = await shop.stateOf(pet);
    expect(read).toEqual(shown);
    const keys = await shop.do<{ id: string }[]>('GET', '/keys');
    expect(ledger).toHaveLength(2);
    expect(ledger[1]).toEqual({
      id: expect.any(Number),
      petId: pet,
      cause: 'set',
      quantityBefore: 1,
      quantityAfter: 12,
      reservedBefore: 0,
      reservedAfter: 0,
      reason: 'stocktaking',
      reference: 'ST-7',
      keyId: keys[0]!.id,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/),
    });
  });

  it('sets what is already there without a ledger row', async () => {
    const pet = await shop.addPet({ quantity: 4 });
    const before = await shop.stateOf(pet);
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 4, reason: 'again' });
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('keeps the hold through 0 and back', async () => {
    const pet = await shop.addPet({ held: true });
    expect((await shop.do('PATCH', `/inventory/${pet}`, { quantity: 0 })).status).toBe('sold');
    expect((await shop.do('PATCH', `/inventory/${pet}`, { quantity: 9 })).status).toBe('pending');
  });

  it.each([0, 1_000_000_000])('accepts %d, an end of the range', async (quantity) => {
    const pet = await shop.addPet();
    expect((await shop.do('PATCH', `/inventory/${pet}`, { quantity })).quantity).toBe(quantity);
  });

  it('shows minus zero as zero', async () => {
    const pet = await shop.addPet();
    const answer = await shop.call('PATCH', `/inventory/${pet}`, { body: '{"quantity":-0}' });
    expect([answer.status, answer.text.includes('-0')]).toEqual([200, false]);
    const { ledger } = await shop.stateOf(pet);
    expect(ledger.map(countsOf)[1]).toEqual(['set', [1, 0], [0, 0]]);
  });

  it.each([
    ['an empty patch, for the count is required', {}, 'quantity'],
    ['a count below 0', { quantity: -1 }, 'quantity'],
    ['a count beyond the range', { quantity: 1_000_000_001 }, 'quantity'],
    ['a fraction', { quantity: 1.5 }, 'quantity'],
    ['a text', { quantity: '5' }, 'quantity'],
    ['null', { quantity: null }, 'quantity'],
    ['a field of no meaning', { quantity: 5, reserved: 0 }, 'reserved'],
    ['a reason of 201 characters', { quantity: 5, reason: 'é'.repeat(201) }, 'reason'],
    ['a reference with a line break', { quantity: 5, reference: 'a\nb' }, 'reference'],
  ])('refuses %s and changes nothing', async (_, body, field) => {
    const pet = await shop.addPet();
    const before = await shop.stateOf(pet);
    const answer = await shop.send('PATCH', `/inventory/${pet}`, body);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, field]);
    expect(await shop.stateOf(pet)).toEqual(before);
  });

  it('accepts a reason of 200 code points and a null reason, and ignores an id', async () => {
    const pet = await shop.addPet();
    const reason = '🐕'.repeat(200);
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 2, reason, id: 77 });
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 3, reason: null, reference: null });
    const { ledger } = await shop.stateOf(pet);
    expect(ledger.map((row) => row.reason)).toEqual([undefined, reason, undefined]);
    expect(ledger[2]).not.toHaveProperty('reference');
  });

  it('accepts a merge patch by its media type', async () => {
    const pet = await shop.addPet();
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await shop.call('PATCH', `/inventory/${pet}`, {
      headers,
      body: { quantity: 2 },
    });
    expect(answer.status).toBe(200);
  });

  it('refuses a stale If-Match and changes nothing; accepts the current one', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const etag = (await shop.call('GET', `/inventory/${pet}`)).headers.get('etag')!;
    await shop.order(pet);
    const before = await shop.stateOf(pet);
    const stale = { body: { quantity: 9 }, headers: { 'if-match': etag } };
    const refused = await shop.call('PATCH', `/inventory/${pet}`, stale);
    expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed']);
    expect(await shop.stateOf(pet)).toEqual(before);
    const current = (await shop.call('GET', `/inventory/${pet}`)).headers.get('etag')!;
    const fresh = { body: { quantity: 9 }, headers: { 'if-match': current } };
    const taken = await shop.call('PATCH', `/inventory/${pet}`, fresh);
    expect(taken.status).toBe(200);
    const read = await shop.call('GET', `/inventory/${pet}`);
    expect(taken.headers.get('etag')).toBe(read.headers.get('etag'));
  });

  it('sets once under one Idempotency-Key', async () => {
    const pet = await shop.addPet();
    const options = { body: { quantity: 5 }, headers: { 'idempotency-key': 'set-5' } };
    const first = await shop.call('PATCH', `/inventory/${pet}`, options);
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 8 });
    const again = await shop.call('PATCH', `/inventory/${pet}`, options);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await shop.stateOf(pet)).item.quantity).toBe(8);
  });

  it('finds no stock of a deleted, foreign or absent pet', async () => {
    const deleted = await shop.addPet();
    await shop.deletePet(deleted);
    const foreign = await shop.addPet();
    const body = { quantity: 5 };
    const key = await shop.app.addWorkspace();
    expect((await shop.send('PATCH', `/inventory/${deleted}`, body)).status).toBe(404);
    expect((await shop.call('PATCH', `/inventory/${foreign}`, { body, key })).status).toBe(404);
    expect((await shop.stateOf(foreign)).item.quantity).toBe(1);
    for (const id of absentIds) {
      expect((await shop.send('PATCH', `/inventory/${id}`, body)).status).toBe(404);
    }
    for (const id of malformedIds) {
      expect((await shop.send('PATCH', `/inventory/${id}`, body)).status).toBe(400);
    }
  });

  it('is marked experimental', async () => {
    const pet = await shop.addPet();
    const answer = await shop.send('PATCH', `/inventory/${pet}`, { quantity: 1 });
    expect(answer.headers.get('x-stability')).toBe('experimental');
  });
});
