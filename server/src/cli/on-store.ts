import { hostname, userInfo } from 'node:os';
import type { Datastore } from '../datastore/datastore.ts';
import { Refusal } from '../domain/errors.ts';
import type { Author } from '../domain/logs/audit.ts';
import { authoredBy } from '../services/logs/audit.ts';
import { openExistingStore } from '../stores.ts';
import { type Run, type StoreInvocation, UsageError } from './command.ts';

/** Makes a command out of a function that works on the open database. A number that it returns is the exit code. */
export function onStore(
  work: (invocation: StoreInvocation) => Promise<number> | Promise<void>,
): Run {
  return async (invocation) => {
    const { store } = await openExistingStore(invocation.config);
    try {
      return (await work({ ...invocation, store: authoredStore(store) })) ?? 0;
    } finally {
      await store.close();
    }
  };
}

/** The id that --workspace names, of a workspace that exists. */
export async function getWorkspaceId({ store, options }: StoreInvocation): Promise<number> {
  const id = parseWorkspaceId(options.workspace ?? '1', '--workspace');
  if (!(await store.read.workspaces.find(id))) throw noWorkspace(id);
  return id;
}

export function parseWorkspaceId(text: string, source: string): number {
  const id = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) {
    throw new UsageError(`${source} takes the id of a workspace, such as 1; ${text} is not one`);
  }
  return id;
}

export function noWorkspace(id: number): Refusal {
  const message = `there is no workspace ${id}; \`petstore server workspaces list\` shows all`;
  return new Refusal('not_found', { message });
}

/** The store of a command: the audit log names the host and the user for its changes. */
export function authoredStore(store: Datastore): Datastore {
  const by = commandAuthor();
  return {
    read: store.read,
    snapshot: () => store.snapshot(),
    transact: (work, options) => store.transact((tx) => work(authoredBy(tx, by)), options),
    tidy: () => store.tidy(),
    ping: (nodeNow) => store.ping(nodeNow),
    close: () => store.close(),
  };
}

export function commandAuthor(): Author & { actor: { id: string; name: string } } {
  return { actor: { type: 'command', id: hostname(), name: userName() } };
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
