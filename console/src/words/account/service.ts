import { count, number } from '../../ui/format.ts';
import { wordsOf } from '../words-of.ts';

/** The nodes of the service, for operators. */
export const serviceWords = wordsOf({
  lead: 'The processes that serve from this database. Each reports every 5 seconds.',
  listLabel: 'Nodes',
  columns: {
    node: 'Node',
    state: 'State',
    limiter: 'Limits',
    skew: 'Clock',
    rate: 'Requests per second',
    memory: 'Memory',
    started: 'Started',
    seen: 'Last seen',
  },
  version: (version: string) => `Version ${version}`,
  states: { ready: 'Ready', unavailable: 'Unavailable', stopping: 'Stopping', lost: 'Lost' },
  limiters: { shared: 'Shared', alone: 'Not shared' },
  limiterNotes: {
    shared: 'Limits are applied together with the other nodes.',
    alone: 'This node applies limits by itself, so a workspace may get more than its limit.',
  },
  unknownSkew: '–',
  noSkew: 'in step',
  skew: (seconds: number) => `${seconds > 0 ? '+' : '−'}${number(Math.abs(seconds))} s`,
  rate: (perSecond: number) => number(Math.round(perSecond * 10) / 10),
  memory: (bytes: number) => `${number(Math.round(bytes / 2 ** 20))} MB`,
  rateShort: (rate: string) => `${rate} requests per second`,
  started: (ago: string) => `started ${ago}`,
  seen: (ago: string) => `seen ${ago}`,
  onPage: (rows: number, areAll: boolean) =>
    areAll ? count(rows, 'node') : `${count(rows, 'node')} on this page`,
  keysLead: 'Keys and sessions of all workspaces. Find one by its ID or its first characters.',
  keysLabel: 'Keys of all workspaces',
  keyId: 'Key ID',
  keysOnPage: (rows: number, areAll: boolean) =>
    areAll ? count(rows, 'key') : `${count(rows, 'key')} on this page`,
  noKeys: {
    emptyTitle: 'No keys yet',
    emptyText: 'Each workspace has a first key.',
    noMatchTitle: 'No key found',
    noMatchText: 'No key ID starts with this.',
  },
  emptyTitle: 'No nodes have reported yet',
  emptyText: 'A node appears here within 5 seconds after it starts.',
});
