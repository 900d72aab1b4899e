import { setTimeout as pause } from 'node:timers/promises';
import { parseValkeyUrl } from '../../lib/network/valkey-url.ts';
import { UnusableLimiterStore } from '../limiter.ts';
import { Cluster } from './cluster.ts';
import { tlsFault } from './server-check.ts';
import { OneMaster, type ValkeyStore } from './valkey-store.ts';

interface SharedStoreOptions {
  url: string;
  /** How long a server may be silent while a call is under way; SILENCE_MAX_MS if absent. */
  silenceMaxMs?: number | undefined;
  /** Called when a master becomes unreachable, once until all are back. */
  onFailure: (err: unknown) => void;
  onRecovery: () => void;
}

/** How long a server may be silent until this node decides alone. */
export const SILENCE_MAX_MS = 50;
const READY_MAX_MS = 1_000;

/**
 * Opens the store of the URL, of whichever topology. `ready` resolves when the store is up, or within two seconds. It throws
 * if only other settings can make the store usable.
 */
export function openSharedStore({
  url,
  silenceMaxMs = SILENCE_MAX_MS,
  onFailure,
  onRecovery,
}: SharedStoreOptions) {
  const target = parseValkeyUrl(url);
  const { topology, addresses, isEncrypted } = target;
  let isReported = false;
  let lastFailure: Error | undefined;
  const onDown = (err: Error) => {
    lastFailure = err;
    if (isReported) return;
    isReported = true;
    onFailure(err);
  };
  const onUp = () => {
    lastFailure = undefined;
    if (isReported) onRecovery();
    isReported = false;
  };
  const options = { silenceMaxMs, onDown, onUp };
  const store: ValkeyStore = new (topology === 'cluster' ? Cluster : OneMaster)(target, options);
  const ready = async (): Promise<void> => {
    for (let waitedMs = 0; !store.isShared && waitedMs < READY_MAX_MS; waitedMs += 10) {
      if (lastFailure instanceof UnusableLimiterStore) throw lastFailure;
      await pause(10);
    }
    if (store.isShared) return;
    const faults = await Promise.all(addresses.map((address) => tlsFault(address, isEncrypted)));
    const fault = faults.find((found) => found !== undefined);
    if (fault && !store.isShared) throw fault;
  };
  return { store, topology, ready };
}
