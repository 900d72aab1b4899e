// Answers to reads that would be given again word for word. One process owns a SQLite file, so it knows of
// every change: an answer stands until a write of its workspace has been committed, which is before that
// write is acknowledged. Changes made beside it by the command line are noticed in the database itself. Where
// several nodes share a database none of this can be known, and nothing is kept.

import type { FastifyRequest } from 'fastify';
import type { HttpResponse } from './response/response.ts';
import { type Prepared, prepare } from './response/send.ts';

export interface Known {
  answer: HttpResponse;
  prepared: Prepared;
  version: number;
  /** The link to the next page names the host and the protocol that were asked. */
  host: string | undefined;
  protocol: string;
}

/** By workspace, and then by path and query. */
type ByAddress = Map<number, Map<string, Known>>;

/** Kept are at least this many bytes and at most twice as many. */
const BYTES_MAX = 8 * 1024 * 1024;
const ENTRY_BYTES = 400;
const WORKSPACES_MAX = 10_000;
const ASKED_SLOTS = 65_536;
/** About as many as there is room for: what is asked for again later than that would be gone by then. */
const RECENT_ASKS = 10_000;
const ASKS_MASK = 0x3fffffff;
const HASHED_LENGTH = 24;

export class ReadCache {
  /** How often others have changed the data. */
  readonly #foreignChanges: () => number;
  /** Whatever is asked for moves to the recent ones; when those are full, the others are forgotten. */
  #recent: ByAddress = new Map();
  #older: ByAddress = new Map();
  #bytes = 0;
  /** What was asked for: by turns its hash, whose lowest bit tells whether that was twice in short order, and when. */
  readonly #asked = new Int32Array(2 * ASKED_SLOTS);
  #asks = 0;
  #seenForeign: number;
  /** Counts up; each workspace has the number of its last change, or that of the last change of all. */
  #changes = 0;
  #allChangedAt = 0;
  readonly #changedAt = new Map<number, number>();

  constructor(foreignChanges: () => number) {
    this.#foreignChanges = foreignChanges;
    this.#seenForeign = foreignChanges();
  }

  /** To be asked before reading what an answer is made of. */
  versionOf(workspaceId: number): number {
    const foreign = this.#foreignChanges();
    if (foreign !== this.#seenForeign) {
      this.#seenForeign = foreign;
      this.#changeAll();
    }
    return this.#changedAt.get(workspaceId) ?? this.#allChangedAt;
  }

  find(request: FastifyRequest, workspaceId: number): Known | undefined {
    const address = request.raw.url!;
    if (!this.#isSought(hashOf(workspaceId, address) & ~1)) return undefined;
    const recent = this.#recent.get(workspaceId)?.get(address);
    const known = recent ?? this.#older.get(workspaceId)?.get(address);
    if (!known || known.version !== this.versionOf(workspaceId)) return undefined;
    if (known.host !== request.headers.host || known.protocol !== request.protocol)
      return undefined;
    if (!recent) this.#remember(workspaceId, address, known);
    return known;
  }

  keep(request: FastifyRequest, workspaceId: number, version: number, answer: HttpResponse): void {
    const { protocol, headers } = request;
    const address = request.raw.url!;
    const once = hashOf(workspaceId, address) & ~1;
    // Keeping an answer pays only when it is asked for again.
    if (this.#asked[slotOf(once)] !== (once | 1)) return;
    const prepared = prepare(answer);
    this.#remember(workspaceId, address, {
      answer,
      prepared,
      version,
      host: headers.host,
      protocol,
    });
  }

  /**
   * Whether an answer may be kept: it was asked for twice before. Keeping one pays only if it is asked for again while
   * it is still there, so what comes back late begins anew.
   */
  #isSought(once: number): boolean {
    const slot = slotOf(once);
    const found = this.#asked[slot]!;
    const isRecent = this.#asks - this.#asked[slot + 1]! < RECENT_ASKS;
    this.#asks = (this.#asks + 1) & ASKS_MASK;
    this.#asked[slot + 1] = this.#asks;
    if (found === (once | 1) && isRecent) return true;
    this.#asked[slot] = found === once && isRecent ? once | 1 : once;
    return false;
  }

  /** Called when a write of this workspace may have been committed, before anyone is told. */
  noteChange(workspaceId: number): void {
    if (this.#changedAt.size >= WORKSPACES_MAX) this.#changeAll();
    this.#changes += 1;
    this.#changedAt.set(workspaceId, this.#changes);
  }

  #changeAll(): void {
    this.#changes += 1;
    this.#allChangedAt = this.#changes;
    this.#changedAt.clear();
  }

  #remember(workspaceId: number, address: string, known: Known): void {
    const before = this.#recent.get(workspaceId)?.get(address);
    this.#bytes += bytesOf(address, known) - (before ? bytesOf(address, before) : 0);
    if (this.#bytes > BYTES_MAX) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#bytes = bytesOf(address, known);
    }
    let ofWorkspace = this.#recent.get(workspaceId);
    if (!ofWorkspace) {
      ofWorkspace = new Map();
      this.#recent.set(workspaceId, ofWorkspace);
    }
    ofWorkspace.set(address, known);
  }
}

/** Text is counted as if every character took two bytes, as those beyond Latin-1 do. */
function bytesOf(address: string, { prepared }: Known): number {
  const { lines, link, body } = prepared;
  const length = address.length + lines.length + 2 * (link?.length ?? 0) + body.length;
  return 2 * length + ENTRY_BYTES;
}

/** Of the end, where addresses differ most; two that are taken for one cost only some room. */
function hashOf(workspaceId: number, address: string): number {
  let hash = workspaceId ^ (address.length << 16);
  for (let at = Math.max(0, address.length - HASHED_LENGTH); at < address.length; at++) {
    hash = Math.imul(hash ^ address.charCodeAt(at), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}

function slotOf(hash: number): number {
  return 2 * ((hash >>> 1) & (ASKED_SLOTS - 1));
}
