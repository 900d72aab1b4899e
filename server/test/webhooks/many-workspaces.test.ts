import { expect, it } from 'vitest';
import { SecretBox } from '../../src/lib/secret-box.ts';
import { newWebhookSecret } from '../../src/lib/webhook-secret.ts';
import { createWorkspace } from '../../src/services/workspaces.ts';
import { sealContext } from '../../src/webhooks/signing-sender.ts';
import { named } from '../datastore/suite-events.ts';
import { createWebhook } from '../operations/webhooks/receiver-app.ts';
import { testApp } from '../support/app.ts';
import { repeats } from '../support/effort.ts';
import { httpReceiver } from './receivers.ts';

const WORKSPACES = repeats({ usual: 300, thorough: 10_000 });
const WAIT = { timeout: 120_000, interval: 200 };
const BATCH = 50;

it.each(['sqlite', 'postgres'] as const)(
  'one event in each of many workspaces is delivered to the webhook of each, once, on %s',
  async (engine) => {
    const app = await testApp({ engine });
    const receiver = await httpReceiver((_, response) => void response.writeHead(200).end());
    const { id } = await createWebhook(app, { url: receiver.url });
    await expect.poll(() => receiver.received.length, WAIT).toBe(1);
    const box = new SecretBox([app.config.PETSTORE_SECRET_KEY![0]!]);
    const secret = newWebhookSecret();
    const workspaces: number[] = [];
    for (let made = 0; made < WORKSPACES; made += BATCH) {
      await app.transact(async (tx) => {
        const first = (await tx.webhooks.findAndLock(1, id))!;
        for (let n = 0; n < BATCH; n++) {
          const input = { name: 'shop', plan: 'free' } as const;
          const { workspace } = await createWorkspace(tx, { workspace: input, now: Date.now() });
          const url = `${receiver.url}/${workspace.id}`;
          const record = { ...first, url, workspaceId: workspace.id, state: 'enabled' as const };
          await tx.webhooks.create(record, box.seal(secret, sealContext(workspace.id)));
          workspaces.push(workspace.id);
        }
      });
    }
    for (const workspaceId of workspaces) {
      await app.transact((tx) => tx.events.append(workspaceId, [named('one', Date.now())]));
    }
    const paths = () => receiver.received.slice(1).map(({ path }) => path);
    await expect.poll(() => paths().length, WAIT).toBeGreaterThanOrEqual(WORKSPACES);
    const expected = workspaces.map((workspaceId) => `/hooks/${workspaceId}`);
    expect(paths().toSorted()).toEqual(expected.toSorted());
  },
);
