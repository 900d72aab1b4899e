import { Refusal } from '../../domain/errors.ts';
import { writeOperation } from '../operation.ts';
import { keyId } from '../parameters.ts';
import { empty } from '../success.ts';

export const adminLiftBan = writeOperation({
  id: 'adminLiftBan',
  method: 'DELETE',
  path: '/admin/bans/{keyId}',
  tag: 'admin',
  scope: 'operate',
  summary: 'Lift a ban',
  description:
    'The key is admitted again at once. Its strikes stay, so the next ban is a longer one.',
  params: { keyId },
  success: empty('The ban is lifted.'),
  handle: async ({ params, now }, tx) => {
    if (!(await tx.limits.liftBan(params.keyId, now))) throw new Refusal('not_found');
  },
  onCommit: async ({ limiter, store, clock }, { params }) => {
    const { keyId } = params as { keyId: string };
    // The repetition of a request finds its stored answer; it must not lift a ban that came since.
    const ban = await store.limits.findBan(keyId);
    if (!ban || ban.until <= clock.now()) await limiter.lift(keyId);
  },
});
