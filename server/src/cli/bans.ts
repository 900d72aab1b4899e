import { Refusal } from '../domain/errors.ts';
import { formatInstant } from '../lib/instant.ts';
import { type Command, UsageError } from './command.ts';

/** A running service admits the key again within a second after its ban is lifted. */
export async function bansCommand({ store, words, print }: Command): Promise<void> {
  const [action, keyId] = words;
  const now = Date.now();
  if (action === 'list') {
    const bans = await store.read.limits.listBansInForce(now);
    const rows = bans.map(({ keyId, workspaceId, since, until, strikes }) => {
      return {
        keyId,
        workspaceId,
        since: formatInstant(since),
        until: formatInstant(until),
        strikes,
      };
    });
    const lines = rows.map((ban) => `${ban.keyId}  until ${ban.until}  strikes ${ban.strikes}`);
    print(rows, lines.length > 0 ? lines : ['no key is banned']);
  } else if (action === 'lift' && keyId) {
    const isLifted = await store.transact((tx) => tx.limits.liftBan(keyId, now));
    if (!isLifted) throw new Refusal('not_found', { message: `${keyId} is not banned` });
    print({ keyId, lifted: true }, [`the ban of ${keyId} is lifted`]);
  } else {
    throw new UsageError('bans takes list or lift KEY_ID');
  }
}
