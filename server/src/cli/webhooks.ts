import { configuredWebhooks } from '../configured-webhooks.ts';
import { Refusal } from '../domain/errors.ts';
import { readEventCursor } from '../domain/event-cursor.ts';
import type { WebhookRecord, WebhookStatus } from '../domain/webhook.ts';
import { systemClock } from '../lib/clock.ts';
import { attemptView, webhookView } from '../operations/views/webhook.ts';
import { EventFeed } from '../services/events/event-feed.ts';
import { EventHub } from '../services/events/event-hub.ts';
import { replayWebhook, updateWebhook, webhookStatusOf } from '../services/webhooks.ts';
import { type StoreInvocation, UsageError } from './command.ts';
import { getWorkspaceId, onStore } from './on-store.ts';

export const listWebhooks = onStore(list);
export const pingWebhook = onStore(ping);
export const replayEvents = onStore(replay);
export const enableWebhook = onStore((invocation) => setState(invocation, 'enabled'));
export const disableWebhook = onStore((invocation) => setState(invocation, 'disabled'));

async function list(invocation: StoreInvocation): Promise<void> {
  const { store, print } = invocation;
  const page = { sort: 'id', limit: 100 } as const;
  const { items } = await store.read.webhooks.list(await getWorkspaceId(invocation), page);
  const statuses: WebhookStatus[] = [];
  const now = systemClock.now();
  for (const webhook of items) statuses.push(await webhookStatusOf(store.read, webhook, now));
  const lines = statuses.length > 0 ? statuses.map(lineOf) : ['there are no webhooks'];
  print(statuses.map(webhookView), lines);
}

async function ping(invocation: StoreInvocation): Promise<number> {
  const { store, config, print } = invocation;
  const webhooks = await configuredWebhooks(config, { store, clock: systemClock });
  if (!webhooks) throw new UsageError('set PETSTORE_SECRET_KEY: without it nothing can be signed');
  const attempt = await webhooks.gateway.ping(await getWebhook(invocation));
  const { outcome, status, durationMs, excerpt } = attempt;
  const answer = status === undefined ? '' : ` with ${status}`;
  const lines = [`${outcome}${answer} after ${durationMs} ms`];
  print(attemptView(attempt), excerpt === undefined ? lines : [...lines, excerpt]);
  return outcome === 'delivered' ? 0 : 1;
}

async function replay(invocation: StoreInvocation): Promise<void> {
  const { store, options } = invocation;
  const { workspaceId, id } = await getWebhook(invocation);
  const after = readEventCursor(options.after!, { workspaceId, field: '--after' });
  const feed = new EventFeed(store, new EventHub({ store, onFailure: () => undefined }));
  const { cursor } = await feed.list({ workspaceId, after, limit: 0 });
  const change = { caller: { workspaceId }, id, cursor: cursor.sequence, now: systemClock.now() };
  show(invocation, await store.transact((tx) => replayWebhook(tx, change)));
}

async function setState(invocation: StoreInvocation, state: 'enabled' | 'disabled'): Promise<void> {
  const { workspaceId, id } = await getWebhook(invocation);
  const gateway = { isVerifying: invocation.config.PETSTORE_WEBHOOK_VERIFY !== 'none' };
  const now = systemClock.now();
  const change = { caller: { workspaceId }, id, gateway, patch: { state }, now };
  show(invocation, await invocation.store.transact((tx) => updateWebhook(tx, change)));
}

async function getWebhook(invocation: StoreInvocation): Promise<WebhookRecord> {
  const { store, argument } = invocation;
  const workspaceId = await getWorkspaceId(invocation);
  const isId = /^[1-9]\d{0,14}$/.test(argument);
  const webhook = isId && (await store.read.webhooks.find(workspaceId, Number(argument)));
  if (!webhook) {
    const message = `workspace ${workspaceId} has no webhook ${argument}`;
    throw new Refusal('not_found', { message });
  }
  return webhook;
}

function show({ print }: StoreInvocation, webhook: WebhookStatus): void {
  print(webhookView(webhook), [lineOf(webhook)]);
}

function lineOf({ id, state, stateReason, behind, parked, url }: WebhookStatus): string {
  const why = stateReason === undefined ? '' : ` (${stateReason})`;
  return `${id}  ${state}${why}  behind ${behind}  parked ${parked}  ${url}`;
}
