// Caches responses to reads. It needs a store that counts every change, also those of other processes. A response is valid
// until a write may have been committed: one of its workspace, or for some operations any. It becomes invalid before that
// write is acknowledged.

import { LRUCache } from 'lru-cache';
import type { ChangeCounts } from '../datastore/datastore.ts';
import type { CacheableUntil } from '../operations/contract.ts';
import { withConditions } from './request/conditions.ts';
import type { HttpResponse } from './response/headers.ts';
import type { SendResponse } from './response/send-response.ts';
import type { Step } from './steps/step.ts';

interface CachedResponse {
  response: HttpResponse;
  version: Version;
}

type Version = number | string;

interface ReadCacheOptions {
  /** Keys and responses together, as if every character took two bytes. */
  bytesMax: number;
  /** The last change is remembered for at most this many workspaces. */
  workspacesMax: number;
}

const ENTRY_BYTES = 400;

export class ReadCache {
  readonly #counts: ChangeCounts;
  readonly #workspacesMax: number;
  readonly #responses: LRUCache<string, CachedResponse>;
  /** Counts up. The version of a workspace is the number of its last change, or of the last change of all. */
  #changes = 0;
  #allChangedAt = 0;
  readonly #changedAt = new Map<number, number>();
  #seenForeignChanges: number;

  constructor(
    counts: ChangeCounts,
    { bytesMax, workspacesMax }: ReadCacheOptions = { bytesMax: 2 ** 24, workspacesMax: 10_000 },
  ) {
    this.#counts = counts;
    this.#seenForeignChanges = counts.foreign();
    this.#workspacesMax = workspacesMax;
    const sizeCalculation = ({ response }: CachedResponse, key: string) =>
      ENTRY_BYTES + 2 * (key.length + response.body.length);
    this.#responses = new LRUCache({ maxSize: bytesMax, sizeCalculation });
  }

  /** To be called before the data is read. The returned function keeps the response, until the data may have changed. */
  beforeRead(workspaceId: number, url: string, until: CacheableUntil) {
    const version = this.#versionOf(workspaceId, until);
    return (response: HttpResponse): void => {
      this.#responses.set(`${workspaceId} ${url}`, { version, response });
    };
  }

  #versionOf(workspaceId: number, until: CacheableUntil): Version {
    if (until === 'storeCommits') return this.#counts.all();
    const foreignChanges = this.#counts.foreign();
    if (foreignChanges !== this.#seenForeignChanges) {
      this.#seenForeignChanges = foreignChanges;
      this.#noteChangeOfAll();
    }
    return this.#changedAt.get(workspaceId) ?? this.#allChangedAt;
  }

  find(workspaceId: number, url: string, until: CacheableUntil): HttpResponse | undefined {
    const cached = this.#responses.get(`${workspaceId} ${url}`);
    return cached?.version === this.#versionOf(workspaceId, until) ? cached.response : undefined;
  }

  /** Call this when a write of the workspace may have been committed, before it is acknowledged. */
  noteChange(workspaceId: number): void {
    if (this.#changedAt.size >= this.#workspacesMax) this.#noteChangeOfAll();
    this.#changes += 1;
    this.#changedAt.set(workspaceId, this.#changes);
  }

  #noteChangeOfAll(): void {
    this.#changes += 1;
    this.#allChangedAt = this.#changes;
    this.#changedAt.clear();
  }
}

/** Sends a cached response. The steps before this one have settled whether the caller may have it. */
export function answerFromCache(cache: ReadCache, sendResponse: SendResponse): Step {
  return (request, reply) => {
    const { operation, caller } = request.state;
    if (!operation?.cacheableUntil || !caller) return undefined;
    const cached = cache.find(caller.workspaceId, request.raw.url!, operation.cacheableUntil);
    if (!cached) return undefined;
    sendResponse(request, reply, withConditions(request, cached));
    return 'answered';
  };
}
