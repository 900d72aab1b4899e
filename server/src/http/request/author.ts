import type { FastifyRequest } from 'fastify';
import type { Author } from '../../domain/logs/audit.ts';
import { plainAddress } from '../../lib/network/address-bucket.ts';
import type { Operation } from '../../operations/operation.ts';

/** Whom the audit log names for the changes of a request. A sign-up has no key yet. */
export function authorOf(request: FastifyRequest, { scope }: Operation): Author {
  const { caller } = request.state;
  const origin = { requestId: request.id, address: plainAddress(request.ip) };
  if (!caller) return { actor: { type: 'service', name: 'sign-up' }, ...origin };
  const { keyId: id, workspaceId, parentId } = caller;
  const own = parentId === undefined ? 'key' : 'session';
  return { actor: { type: scope === 'operate' ? 'operator' : own, id }, workspaceId, ...origin };
}
