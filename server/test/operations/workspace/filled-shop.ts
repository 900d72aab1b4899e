import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { TestApp } from '../../support/app.ts';
import { newWorkspace } from '../account/new-workspace.ts';
import { createWebhook } from '../webhooks/receiver-app.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
export type Any = any;

const DAY_MS = 86_400_000;

/** A workspace with a category. */
export async function shop(app: TestApp) {
  const own = await newWorkspace(app, { name: 'Happy Paws', plan: 'business' });
  const { key } = own;
  const send = async (method: string, path: string, body?: unknown): Promise<Any> => {
    const given = body === undefined ? {} : { body };
    const answer = await app.call(method, `/v1${path}`, { key, ...given });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const category = { name: 'Cats', description: 'Mew' };
  const { id: categoryId } = await send('POST', '/categories', category);
  const pet = (more: object = {}) => send('POST', '/pets', { name: 'Tom', categoryId, ...more });
  return { ...own, send, pet };
}

/** A workspace with records of every kind and in every state. */
export async function filledShop(app: TestApp) {
  const own = await shop(app);
  const { send, pet } = own;
  const later = new Date(Date.now() + 20 * DAY_MS).toISOString();
  const metadata = { shelf: '7', petId: 'x' };
  const { id: petId } = await pet({ reference: 'T-1', lowStockAt: 2, metadata });
  await send('PATCH', `/inventory/${petId}`, { quantity: 20 });
  await pet({ name: 'Held', status: 'pending' });
  const { id: deleted } = await pet({ name: 'Gone' });
  await send('DELETE', `/pets/${deleted}`);
  const noted = { customer: 'Ada Lovelace', reference: 'R-7', note: 'Ring twice', metadata };
  await send('POST', '/store/orders', { petId, quantity: 3, shipDate: later, ...noted });
  const { id: done } = await send('POST', '/store/orders', { petId, expiresAt: later });
  await send('PATCH', `/store/orders/${done}`, { complete: true });
  const { id: ended } = await send('POST', '/store/orders', { petId });
  await send('DELETE', `/store/orders/${ended}`);
  await createWebhook(app, { url: 'http://127.0.0.1:9/', description: 'Books' }, own.key);
  return { ...own, petId };
}

/** Rows of so many bytes, which do not compress. */
export async function addLargeRows(
  app: TestApp,
  workspaceId: number,
  { count, bytes }: { count: number; bytes: number },
) {
  const row = { workspaceId, action: 'ban.lifted', actor: { type: 'service' } } as const;
  for (let n = 0; n < count; n++) {
    const after = { text: randomBytes(bytes).toString('base64') };
    await app.transact((tx) => tx.auditLog.add({ ...row, target: 'workspace', at: n, after }));
  }
}
