import sql, { raw } from 'sql-template-tag';
import { webhookStates } from '../../domain/delivery.ts';
import { databaseNow } from '../dialect.ts';
import { type Runner, statement, type Value } from '../runner.ts';

const DISABLED = String(webhookStates.indexOf('disabled'));

/**
 * Makes the webhooks of a workspace due that have nothing to do. Call it in the transaction that gives an event its number,
 * after the head is locked: a webhook that is about to be left without work waits for the head too, and then sees the event.
 */
export async function wakeWebhooks(runner: Runner, workspaceId: number, nodeNow: number) {
  const wake = sql`UPDATE webhooks SET due_at = ${databaseNow(nodeNow)}
    WHERE workspace_id = ${workspaceId} AND due_at IS NULL AND state <> ${raw(DISABLED)}`;
  await runner.runLater(statement(wake.text), wake.values as Value[]);
}
