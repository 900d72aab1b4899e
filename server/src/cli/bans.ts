import { Refusal } from '../domain/errors.ts';
import { banView } from '../operations/views/ban.ts';
import { liftBan } from '../services/limits/bans.ts';
import type { StoreInvocation } from './command.ts';
import { onStore } from './on-store.ts';
import { plural } from './plural.ts';

export const listBans = onStore(list);
export const liftBanOfKey = onStore(lift);

async function list({ store, print }: StoreInvocation): Promise<void> {
  const bans = await store.read.limits.listBansInForce(Date.now());
  const rows = bans.map(banView);
  const lines = rows.map(
    (ban) => `${ban.keyId}  until ${ban.until}  ${plural(ban.strikes, 'ban')}`,
  );
  print(rows, lines.length > 0 ? lines : ['no key is banned']);
}

async function lift({ store, argument: keyId, print }: StoreInvocation): Promise<void> {
  const isLifted = await store.transact((tx) => liftBan(tx, { keyId, now: Date.now() }));
  if (!isLifted) throw new Refusal('not_found', { message: `the key ${keyId} is not banned` });
  print({ keyId, lifted: true }, [`the ban of ${keyId} is lifted`]);
}
