import { setTimeout as pause } from 'node:timers/promises';
import type { Datastore } from '../datastore/datastore.ts';
import { UnusableDatabase } from '../datastore/failures.ts';
import type { Clock } from '../lib/clock.ts';
import { KEY_NAME_LENGTH, SecretBox } from '../lib/secret-box.ts';
import type { ReadEvents } from './batch-reader.ts';
import { Dispatcher } from './dispatcher.ts';
import { Gateway } from './gateway.ts';
import { Sender } from './sender.ts';
import {
  type DeliveryResult,
  SigningSender,
  type StartDelivery,
  type Verification,
} from './signing-sender.ts';
import { systemResolve, Targets } from './target.ts';

interface WebhooksOptions {
  store: Datastore;
  clock: Clock;
  /** The first seals secrets, all open them. */
  secretKeys: readonly [Buffer, ...Buffer[]];
  /** Addresses, ranges and host names that deliveries may go to besides public addresses. */
  allow: readonly string[];
  verification: Verification;
  readEvents: ReadEvents;
  /** Whether this node agrees with the database on the time. */
  isClockRight: () => boolean;
  onFailure: (err: unknown) => void;
  /** Called after every attempt to deliver. */
  onAttempt?: (attempt: DeliveryResult['attempt']) => void;
  /** Starts the span of a delivery; absent unless traces are exported. */
  startDelivery?: StartDelivery | undefined;
}

export interface Webhooks {
  gateway: Gateway;
  /** Delivers, once it is started. */
  dispatcher: Dispatcher;
}

/** Puts the parts of delivery together. Refuses keys that do not open every secret: nothing is ever sent unsigned. */
export async function openWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { store, clock, verification } = options;
  const box = new SecretBox(options.secretKeys);
  await refuseUnknownKeys(store, box, clock.now());
  const targets = new Targets(options.allow, systemResolve());
  const plain = new Sender(targets, { now: () => clock.now() });
  const sender = new SigningSender(plain, box, options.onAttempt, options.startDelivery);
  const sleep = (ms: number, signal: AbortSignal) =>
    pause(ms, undefined, { signal }).catch(() => undefined);
  const dispatcher = new Dispatcher({ ...options, sender, random: Math.random, sleep });
  const gateway = new Gateway({ store, clock, targets, sender, box, verification });
  return { gateway, dispatcher };
}

async function refuseUnknownKeys(store: Datastore, box: SecretBox, now: number): Promise<void> {
  const names = await store.read.webhooks.sealNames(KEY_NAME_LENGTH, now);
  const unknown = names.filter((name) => !box.knowsKeyOf(name));
  if (unknown.length === 0) return;
  throw new UnusableDatabase(
    'secrets of webhooks are encrypted with another key: list it in PETSTORE_SECRET_KEY after a comma, ' +
      'or put its secret.key back into the data folder. If the key is lost, run petstore server webhooks reset',
  );
}
