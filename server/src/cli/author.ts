import { hostname, userInfo } from 'node:os';
import type { Datastore } from '../datastore/datastore.ts';
import type { Author } from '../domain/logs/audit.ts';
import { authoredBy } from '../services/logs/audit.ts';

/** The store of a command: the audit log names the host and the user for its changes. */
export function authoredStore(store: Datastore): Datastore {
  const by = commandAuthor();
  return {
    read: store.read,
    transact: (work, options) => store.transact((tx) => work(authoredBy(tx, by)), options),
    dryRun: (work, options) => store.dryRun((tx) => work(authoredBy(tx, by)), options),
    tidy: () => store.tidy(),
    ping: (nodeNow) => store.ping(nodeNow),
    close: () => store.close(),
  };
}

function commandAuthor(): Author {
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
