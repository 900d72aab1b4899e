// The part of the composition root that puts webhooks together from the configuration. Commands take from it what encrypts
// their secrets.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from './config.ts';
import { type BaseParts, countedSometimes } from './configured-health.ts';
import type { Datastore } from './datastore/datastore.ts';
import { UnusableDatabase } from './datastore/failures.ts';
import type { Clock } from './lib/clock.ts';
import { SecretBox } from './lib/secret-box.ts';
import { openSecretKeyFile, UnusableSecretKey } from './lib/secret-key-file.ts';
import { type OnDelay, readFeed } from './services/events/read-feed.ts';
import { lostKeyNames } from './services/lost-secrets.ts';
import { DeliveryMetrics } from './telemetry/delivery-metrics.ts';
import type { Tracing } from './telemetry/tracing.ts';
import type { ReadEvents } from './webhooks/batch-reader.ts';
import { Dispatcher } from './webhooks/dispatcher.ts';
import { Gateway } from './webhooks/gateway.ts';
import { Sender } from './webhooks/sender.ts';
import { SigningSender, type StartDelivery, sealContext } from './webhooks/signing-sender.ts';
import { systemResolve, Targets } from './webhooks/target.ts';

interface WebhookParts extends BaseParts {
  /** Whether this node agrees with the database on the time. */
  isClockRight: () => boolean;
  onDelay: OnDelay;
  tracing: Tracing | undefined;
}

export interface Webhooks {
  gateway: Gateway;
  /** Delivers, once it is started. */
  dispatcher: Dispatcher;
}

/** Undefined unless a key that encrypts secrets is configured. */
export async function configuredWebhooks(
  config: Config,
  parts: WebhookParts,
): Promise<Webhooks | undefined> {
  const { store, clock, metrics, log, isClockRight, onDelay, tracing } = parts;
  const secrets = await openSecrets(config, { store, clock });
  if (!secrets) {
    log.info('webhooks are not available: set PETSTORE_SECRET_KEY to enable them');
    return undefined;
  }
  const { box } = secrets;
  const deliveries = new DeliveryMetrics();
  deliveries.showIn(
    metrics,
    countedSometimes(clock, () => store.read.deliveries.countByState()),
  );
  const { countAttempt } = deliveries;
  const onFailure = (err: unknown) =>
    log.warn({ err }, 'webhooks could not be delivered; the dispatcher tries again');
  const targets = new Targets(config.PETSTORE_WEBHOOK_ALLOW, systemResolve());
  const plain = new Sender(targets, { now: () => clock.now() });
  const sender = new SigningSender(plain, box, countAttempt, tracing && deliveryStarter(tracing));
  const common = { store, clock, sender, verification: config.PETSTORE_WEBHOOK_VERIFY };
  const readEvents: ReadEvents = (workspaceId, range) =>
    readFeed(store, workspaceId, range, onDelay);
  const sleep = (ms: number, signal: AbortSignal) =>
    pause(ms, undefined, { signal }).catch(() => undefined);
  const time = { isClockRight, random: Math.random, sleep };
  return {
    gateway: new Gateway({ ...common, targets, box }),
    dispatcher: new Dispatcher({ ...common, ...time, readEvents, onFailure }),
  };
}

/** What encrypts secrets of webhooks. Refuses keys that do not open all that are stored: nothing is ever sent unsigned. */
export async function openSecrets(
  config: Config,
  { store, clock }: { store: Datastore; clock: Clock },
) {
  const secrets = configuredSecrets(config);
  if (!secrets || (await lostKeyNames(store, secrets.box, clock.now())).length === 0)
    return secrets;
  throw new UnusableDatabase(
    'secrets of webhooks are encrypted with another key: list it in PETSTORE_SECRET_KEY after a comma, ' +
      'or put its secret.key back into the data folder. If the key is lost, run petstore server webhooks reset',
  );
}

/** What encrypts secrets of webhooks, also if it does not open those that are stored; undefined without a key. */
export function configuredSecrets(config: Config) {
  const [first, ...others] = secretKeysOf(config);
  if (!first) return undefined;
  const box = new SecretBox([first, ...others]);
  const seal = (secret: string, workspaceId: number) => box.seal(secret, sealContext(workspaceId));
  return { box, seal };
}

function deliveryStarter(tracing: Tracing): StartDelivery {
  return (parent) => {
    const span = tracing.start('webhook delivery', { kind: 'client', parent });
    const end = (outcome: string) =>
      span?.end({
        attributes: { 'petstore.outcome': outcome },
        isFailed: outcome !== 'delivered',
      });
    return { place: span?.place ?? parent, end };
  };
}

function secretKeysOf(config: Config): readonly Buffer[] {
  const keys = config.PETSTORE_SECRET_KEY;
  if (keys.length > 0 || config.PETSTORE_DATABASE_URL !== undefined) return keys;
  try {
    return [openSecretKeyFile(join(config.PETSTORE_DATA_DIR, 'secret.key'))];
  } catch (err) {
    throw err instanceof UnusableSecretKey ? new UnusableDatabase(err.message) : err;
  }
}
