import type { Clock } from '../../lib/clock.ts';
import type { LimitStore } from '../limiter.ts';
import { startOfDay } from '../window.ts';
import {
  adoptAdmitted,
  adoptBans,
  type LocalWorkspace,
  type LocalWorkspaces,
} from './local-workspaces.ts';

interface WorkspaceLoaderOptions {
  store: LimitStore;
  clock: Clock;
  onStoreFailure: (err: unknown) => void;
  /** That of the connection to the master of the workspace. */
  generationOf: (workspaceId: number) => number;
  workspaces: LocalWorkspaces;
  /** The clock of the shared store. */
  storeNow: () => number;
}

const REFRESH_MS = 500;
const AGE_MAX_MS = 1_000;
/** A slow database delays no decision for longer; what it returns later still counts. */
const WAIT_MAX_MS = 500;

/**
 * Reads what the database knows: all of a workspace with its first request and after each change of the
 * connection, and the bans in force of all workspaces often enough that they are at most a second old.
 * When the database fails or is slow, requests go on with what is known.
 */
export class WorkspaceLoader {
  readonly #options: WorkspaceLoaderOptions;
  #bansReadAt = Number.NEGATIVE_INFINITY;
  #readingBans: Promise<void> | undefined;

  constructor(options: WorkspaceLoaderOptions) {
    this.#options = options;
  }

  /** Returns a promise when a decision has to wait for the database. */
  load(workspaceId: number, workspace: LocalWorkspace): Promise<void> | undefined {
    if (this.isLoaded(workspaceId, workspace)) return this.#refreshBans();
    workspace.loading ??= this.#loadInTime(workspaceId, workspace);
    return workspace.loading;
  }

  isLoaded(workspaceId: number, { loadedIn }: LocalWorkspace): boolean {
    return loadedIn === this.#options.generationOf(workspaceId);
  }

  async #loadInTime(workspaceId: number, workspace: LocalWorkspace): Promise<void> {
    const generation = this.#options.generationOf(workspaceId);
    await inTime(this.#read(workspaceId, workspace));
    workspace.loading = undefined;
    workspace.loadedIn = generation;
  }

  async #read(workspaceId: number, workspace: LocalWorkspace): Promise<void> {
    const { store, storeNow, onStoreFailure } = this.#options;
    const now = storeNow();
    workspace.recordId = undefined;
    try {
      const [{ bans }, admitted] = await Promise.all([
        store.load(workspaceId),
        store.countAdmitted(workspaceId, startOfDay(now)),
      ]);
      adoptBans(workspace, bans);
      adoptAdmitted(workspace, admitted, now);
      workspace.recordId = undefined;
    } catch (err) {
      onStoreFailure(err);
    }
  }

  #refreshBans(): Promise<void> | undefined {
    const ageMs = Math.abs(this.#options.clock.now() - this.#bansReadAt);
    if (ageMs < REFRESH_MS) return undefined;
    this.#readingBans ??= this.#readBansInTime();
    return ageMs < AGE_MAX_MS ? undefined : this.#readingBans;
  }

  async #readBansInTime(): Promise<void> {
    await inTime(this.#readBans());
    // Their age counts from the end of the read: a request waits for one read, however slow it is.
    this.#bansReadAt = this.#options.clock.now();
    this.#readingBans = undefined;
  }

  async #readBans(): Promise<void> {
    const { store, storeNow, workspaces, onStoreFailure } = this.#options;
    try {
      for (const ban of await store.listBans(storeNow())) {
        const workspace = workspaces.find(ban.workspaceId);
        if (workspace) adoptBans(workspace, [ban]);
      }
    } catch (err) {
      onStoreFailure(err);
    }
  }
}

/** Resolves with `work`, which never rejects, or when it takes too long. */
async function inTime(work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, WAIT_MAX_MS);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
