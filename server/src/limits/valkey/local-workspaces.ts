import type { StoredBan } from '../../domain/ban.ts';
import { newOffender } from '../ban.ts';
import { isDayOver, startOfDay, unopenedCounters } from '../window.ts';
import { isQuiet, offenderOf, type WorkspaceLimits } from '../workspace-limits.ts';
import type { AdmitReply } from './admit-call.ts';

/** What this node knows of a workspace: what the store last replied, and what it counted alone. */
export interface LocalWorkspace extends WorkspaceLimits {
  /** The generation of the connection in which the database was last read; undefined if it must be read again. */
  loadedIn: number | undefined;
  loading: Promise<void> | undefined;
  /** The store's record, once the store knows all that this node knows. */
  recordId: number | undefined;
  /** Keys whose bans the store may not know. */
  unsharedBans: Set<string>;
  callsUnderWay: number;
}

const WORKSPACES_MAX = 50_000;

export class LocalWorkspaces {
  readonly #workspaces = new Map<number, LocalWorkspace>();

  find(workspaceId: number): LocalWorkspace | undefined {
    return this.#workspaces.get(workspaceId);
  }

  get(workspaceId: number): LocalWorkspace {
    const known = this.#workspaces.get(workspaceId);
    if (known) return known;
    const workspace: LocalWorkspace = {
      counters: unopenedCounters(),
      offenders: new Map(),
      loadedIn: undefined,
      loading: undefined,
      recordId: undefined,
      unsharedBans: new Set(),
      callsUnderWay: 0,
    };
    this.#workspaces.set(workspaceId, workspace);
    return workspace;
  }

  /** Forgets quiet workspaces whose day is over, and all quiet ones when there are too many. */
  sweep(now: number): void {
    for (const [workspaceId, workspace] of this.#workspaces) {
      const { counters, callsUnderWay, loading } = workspace;
      const isCrowded = this.#workspaces.size > WORKSPACES_MAX;
      const isDone = (isDayOver(counters, now) || isCrowded) && isQuiet(workspace, now);
      if (isDone && callsUnderWay === 0 && !loading) this.#workspaces.delete(workspaceId);
    }
  }
}

export function adoptReply(workspace: LocalWorkspace, keyId: string, reply: AdmitReply): void {
  workspace.counters = reply.decisions.at(-1)!.counters;
  workspace.recordId = reply.recordId;
  workspace.unsharedBans.delete(keyId);
  if (reply.ban.strikes > 0 || workspace.offenders.has(keyId)) {
    const offender = offenderOf(workspace, keyId);
    // The node that gave a new ban may still be saving it.
    if (offender.since !== reply.ban.since) offender.recheckedAt = reply.ban.since;
    Object.assign(offender, reply.ban, { saved: reply.ban });
  }
}

/** Takes over the day's count of the database, which every node writes but a few seconds late. */
export function adoptAdmitted({ counters }: LocalWorkspace, admitted: number, now: number): void {
  if (admitted === 0) return;
  if (isDayOver(counters, now)) {
    counters.dayStart = startOfDay(now);
    counters.dayUsed = 0;
  }
  counters.dayUsed = Math.max(counters.dayUsed, admitted);
}

/** Takes over bans of the database. A later ban that could not be saved yet stays. */
export function adoptBans(
  { offenders, unsharedBans }: LocalWorkspace,
  bans: readonly StoredBan[],
): void {
  for (const ban of bans) {
    const known = offenders.get(ban.keyId);
    if (!known || ban.since > known.since) offenders.set(ban.keyId, newOffender(ban));
    unsharedBans.add(ban.keyId);
  }
}
