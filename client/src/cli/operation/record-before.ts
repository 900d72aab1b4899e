// What is about to be deleted, so that a question can name it: `Delete the pet Guppy (21)?`

import { NotFoundError, PermissionError } from '../../errors.ts';
import type { Request, Transport } from '../../transport.ts';
import type { OperationCommand } from '../command.ts';
import { units } from './done.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Thing {
  /** The read of the record; none if there is no name to show. */
  read?: Pick<Request, 'path' | 'params' | 'query'>;
  question: (record: Fields) => string;
}

const things: Readonly<Record<string, (id: string) => Thing>> = {
  deletePet: (id) => ({
    read: { path: '/pets', query: { id } },
    question: (record) => `Delete the pet ${labelOf(id, record)}?`,
  }),
  deleteCategory: (id) => ({
    read: { path: '/categories/{categoryId}', params: [id] },
    question: (record) => `Delete the category ${labelOf(id, record)}?`,
  }),
  cancelOrder: (id) => ({
    read: { path: '/store/orders/{orderId}', params: [id] },
    question: ({ quantity, petId, customer }) => {
      const of = quantity ? ` (${units(quantity)} of pet ${petId})` : '';
      return `Cancel the order ${id}${customer ? ` of ${customer}` : ''}${of}?`;
    },
  }),
  revokeKey: (id) => ({
    read: { path: '/keys', query: { id } },
    question: (record) => `Revoke the key ${labelOf(id, record)}?`,
  }),
  adminRevokeKey: (id) => ({
    read: { path: '/admin/keys', query: { id } },
    question: (record) => `Revoke the key ${labelOf(id, record)}?`,
  }),
  deleteWebhook: (id) => ({
    read: { path: '/webhooks/{webhookId}', params: [id] },
    question: ({ url }) => `Delete the webhook ${id}${url ? `, which sends to ${url}` : ''}?`,
  }),
  adminLiftBan: (id) => ({ question: () => `Lift the ban of the key ${id}?` }),
};

/**
 * The record that a command is about to delete, for one more request. Undefined where the key may not read it, or it is not
 * there: the command itself is answered with what is wrong.
 */
export async function recordBefore(
  { operation }: OperationCommand,
  words: readonly string[],
  transport: Transport,
  signal: AbortSignal,
): Promise<Fields | undefined> {
  const read = things[operation]?.(words[0]!).read;
  if (!read) return undefined;
  try {
    const found = await transport.call<Fields | Fields[]>({
      method: 'GET',
      options: { signal },
      ...read,
    });
    return Array.isArray(found) ? found[0] : (found as Fields);
  } catch (err) {
    if (err instanceof PermissionError || err instanceof NotFoundError) return undefined;
    throw err;
  }
}

export function questionOf(
  { operation, summary }: OperationCommand,
  words: readonly string[],
  before: Fields | undefined,
): string {
  const thing = things[operation]?.(words[0]!);
  const text = thing?.question(before ?? {}) ?? `${summary} ${words.join(' ')}?`;
  // A name may hold characters that would control the terminal.
  return text.replace(/\p{Cc}+/gu, ' ');
}

function labelOf(id: string, { name }: Fields): string {
  return name === undefined ? id : `${name} (${id})`;
}
