import { Refusal } from '../../domain/errors.ts';
import { liftBan } from '../../services/limits.ts';
import { writeOperation } from '../operation.ts';
import { anyKeyId } from '../parameters.ts';
import { empty } from '../success.ts';

export const adminLiftBan = writeOperation({
  id: 'adminLiftBan',
  method: 'DELETE',
  path: '/admin/bans/{keyId}',
  tag: 'admin',
  scope: 'operate',
  summary: 'Lift a ban',
  description:
    'The key is admitted again at once, as long as its limits allow. Its strikes stay, so the next ban is longer.',
  params: { keyId: anyKeyId },
  events: ['ban.lifted'],
  audits: ['ban.lifted'],
  success: empty('The ban is lifted.'),
  handle: async ({ params, now }, tx) => {
    if (await liftBan(tx, { keyId: params.keyId, now })) return;
    throw new Refusal('not_found', { message: `Key ${params.keyId} is not banned.` });
  },
  afterCommit: async ({ limiter, store, clock }, { params }) => {
    const { keyId } = params as { keyId: string };
    // A replayed request runs this too. It must not lift a ban that began since.
    const ban = await store.limits.findBan(keyId);
    if (!ban || ban.until <= clock.now()) await limiter.lift(keyId);
  },
});
