// The part of the composition root that puts webhooks together from the configuration. The service and the command line
// share it.

import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Datastore } from './datastore/datastore.ts';
import { UnusableDatabase } from './datastore/failures.ts';
import type { DeliveryOutcome } from './domain/delivery.ts';
import type { Clock } from './lib/clock.ts';
import { SecretBox } from './lib/secret-box.ts';
import { openSecretKeyFile, UnusableSecretKey } from './lib/secret-key-file.ts';
import { type OnDelay, readFeed } from './services/events/read-feed.ts';
import type { Tracing } from './telemetry/tracing.ts';
import { openWebhooks, type Webhooks } from './webhooks/open-webhooks.ts';
import { type StartDelivery, sealContext } from './webhooks/signing-sender.ts';

interface WebhookParts {
  store: Datastore;
  clock: Clock;
  /** Whether this node agrees with the database on the time; absent where nothing is delivered. */
  isClockRight?: () => boolean;
  onDelay?: OnDelay;
  tracing?: Tracing | undefined;
  onFailure?: (err: unknown) => void;
  onAttempt?: (attempt: { outcome: DeliveryOutcome; durationMs: number }) => void;
}

/** Undefined unless a key that seals secrets is configured. */
export async function configuredWebhooks(
  config: Config,
  parts: WebhookParts,
): Promise<Webhooks | undefined> {
  const { store, clock, tracing, isClockRight = () => true } = parts;
  const { onFailure = () => undefined, onAttempt = () => undefined } = parts;
  const [first, ...others] = secretKeysOf(config);
  if (!first) return undefined;
  return openWebhooks({
    store,
    clock,
    secretKeys: [first, ...others],
    allow: config.PETSTORE_WEBHOOK_ALLOW,
    verification: config.PETSTORE_WEBHOOK_VERIFY,
    readEvents: (workspaceId, range) => readFeed(store, workspaceId, range, parts.onDelay),
    isClockRight,
    onFailure,
    onAttempt,
    startDelivery: tracing && deliveryStarter(tracing),
  });
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
