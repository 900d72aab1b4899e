import type { ValkeyAddress, ValkeyTarget } from '../../lib/network/valkey-url.ts';
import { UnusableLimiterStore } from '../limiter.ts';
import { checkMode, explained, nameOf } from './server-check.ts';
import { type Reply, ValkeyClient } from './valkey-client.ts';

/** A Sentinel that is silent for longer is not waited for. */
const ANSWER_MAX_MS = 400;
/** The connection to one that is silent for this long is replaced. */
const SILENCE_MAX_MS = 5_000;
/** Every Sentinel announces there that a master has been replaced. */
const ANNOUNCEMENTS = '+switch-master';

interface OpenSentinel {
  client: ValkeyClient;
  /** Rejects if it cannot be reached, or is no Sentinel. */
  checked: Promise<void>;
}

/**
 * Asks all Sentinels of the URL where the master is. Of different answers, the one of the latest failover counts. Calls
 * `onSwitch` when one of them announces another master; a Sentinel that was out of reach may have announced it unheard.
 */
export class Sentinels {
  readonly #target: ValkeyTarget;
  readonly #onSwitch: () => void;
  readonly #clients = new Map<ValkeyAddress, OpenSentinel>();

  constructor(target: ValkeyTarget, onSwitch: () => void) {
    this.#target = target;
    this.#onSwitch = onSwitch;
  }

  async locate(): Promise<ValkeyAddress> {
    const { addresses } = this.#target;
    const answers = await Promise.allSettled(addresses.map((address) => this.#ask(address)));
    const masters = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value] : [],
    );
    const latest = masters.sort((a, b) => b.epoch - a.epoch)[0];
    if (latest) return latest.address;
    const reasons = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as Error] : [],
    );
    const unusable = reasons.find((reason) => reason instanceof UnusableLimiterStore);
    if (unusable) throw unusable;
    const each = reasons.map(({ message }, index) => `${nameOf(addresses[index]!)}: ${message}`);
    throw new Error(`no Sentinel answers (${each.join('; ')})`);
  }

  close(): void {
    for (const { client } of this.#clients.values()) {
      client.close(new Error('the limiter was closed'));
    }
  }

  async #ask(address: ValkeyAddress): Promise<{ address: ValkeyAddress; epoch: number }> {
    const sentinel = this.#clients.get(address) ?? this.#open(address);
    const { client } = sentinel;
    const { promise: isSilent, reject } = Promise.withResolvers<never>();
    const silence = new Error('it is silent');
    const answerTimer = setTimeout(() => reject(silence), ANSWER_MAX_MS);
    const closeTimer = setTimeout(() => client.close(silence), SILENCE_MAX_MS);
    const answer = askMaster(sentinel, this.#target.masterName).finally(() =>
      clearTimeout(closeTimer),
    );
    try {
      return await Promise.race([answer, isSilent]);
    } catch (err) {
      // A Sentinel that is slow goes on with what it was asked: asked anew, it would have to begin again.
      if (err === silence) throw err;
      client.close(err as Error);
      throw this.#isUnknownMaster(err) ? this.#unknownMaster() : explained(err as Error, address);
    } finally {
      clearTimeout(answerTimer);
    }
  }

  #open(address: ValkeyAddress): OpenSentinel {
    const { isEncrypted, sentinelCredentials: credentials } = this.#target;
    const client = new ValkeyClient({
      address,
      credentials,
      isEncrypted,
      database: 0,
      connectMaxMs: SILENCE_MAX_MS,
      channel: { name: ANNOUNCEMENTS, onMessage: this.#onSwitch },
      onClose: () => this.#clients.delete(address),
    });
    const checked = client.opened.then(() => checkMode(client, 'sentinel'));
    const sentinel = { client, checked };
    this.#clients.set(address, sentinel);
    return sentinel;
  }

  #isUnknownMaster(err: unknown): boolean {
    return err instanceof Error && err.message.startsWith('ERR No such master');
  }

  #unknownMaster(): Error {
    const name = this.#target.masterName;
    return new UnusableLimiterStore(
      `PETSTORE_VALKEY_URL: the Sentinels know no master ${name}: ` +
        'the path of the URL is the name after `sentinel monitor` in their configuration',
    );
  }
}

async function askMaster({ client, checked }: OpenSentinel, masterName: string) {
  await checked;
  return parseMaster(await client.send(['SENTINEL', 'MASTER', masterName]));
}

function parseMaster(reply: Reply): { address: ValkeyAddress; epoch: number } {
  const fields = reply as string[];
  const fieldOf = (name: string) => fields[fields.indexOf(name) + 1]!;
  return {
    address: { host: fieldOf('ip'), port: Number(fieldOf('port')) },
    epoch: Number(fieldOf('config-epoch')),
  };
}
