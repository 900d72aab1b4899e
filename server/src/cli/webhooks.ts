import { configuredSecrets } from '../configured-webhooks.ts';
import { UnusableDatabase } from '../datastore/failures.ts';
import { lostKeyNames, resetLostSecrets } from '../services/lost-secrets.ts';
import { plural } from './command.ts';
import { onStore } from './on-store.ts';

export const resetWebhooks = onStore(async ({ store, config, options, print }) => {
  const secrets = configuredSecrets(config);
  if (!secrets)
    throw new UnusableDatabase('set PETSTORE_SECRET_KEY to the key that nodes will use');
  const now = Date.now();
  const lost = await lostKeyNames(store, secrets.box, now);
  if (lost.length > 0 && !options.yes) {
    throw new UnusableDatabase(
      'secrets of webhooks are encrypted with another key. If it is lost, add --yes: these webhooks get a new secret and are disabled',
    );
  }
  const webhooks = await resetLostSecrets(store, { ...secrets, now });
  print(
    webhooks,
    webhooks.length === 0
      ? ['the key opens the secrets of all webhooks; nothing was changed']
      : [
          `${plural(webhooks.length, 'webhook')} disabled, each with a new secret:`,
          ...webhooks.map(({ workspaceId, id }) => `workspace ${workspaceId}  webhook ${id}`),
          'their owners rotate the secret, give it to the receiver and enable the webhook',
        ],
  );
});
