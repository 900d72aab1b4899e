// Answers to reads that would be given again word for word. One process owns a SQLite file, so it knows of
// every change: an answer stands until a write of its workspace has been committed, which is before that
// write is acknowledged. Changes made beside it by the command line are noticed in the database itself. Where
// several nodes share a database none of this can be known, and nothing is kept.

import type { FastifyRequest } from 'fastify';
import type { Answer } from './answer.ts';

interface Known {
  answer: Answer;
  version: number;
  /** The link to the next page names the host and the protocol that were asked. */
  host: string | undefined;
  protocol: string;
}

/** Kept are at least this many bytes and at most twice as many. */
const BYTES_MAX = 8 * 1024 * 1024;
const ENTRY_BYTES = 400;
const WORKSPACES_MAX = 10_000;
const ASKED_SLOTS = 65_536;
const HASHED_LENGTH = 24;

export class KnownAnswers {
  /** How often others have changed the data. */
  readonly #foreignChanges: () => number;
  /** Whatever is asked for moves to the recent ones; when those are full, the others are forgotten. */
  #recent = new Map<string, Known>();
  #older = new Map<string, Known>();
  #bytes = 0;
  /** What was asked for lately, by hash: keeping an answer pays only when it is asked for again. */
  readonly #asked = new Int32Array(ASKED_SLOTS);
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

  find(request: FastifyRequest, workspaceId: number): Answer | undefined {
    const name = nameOf(request, workspaceId);
    const known = this.#recent.get(name) ?? this.#older.get(name);
    if (!known || known.version !== this.versionOf(workspaceId)) return undefined;
    const { host, protocol, answer } = known;
    if (host !== request.headers.host || protocol !== request.protocol) return undefined;
    if (!this.#recent.has(name)) this.#remember(name, known);
    return answer;
  }

  keep(request: FastifyRequest, workspaceId: number, version: number, answer: Answer): void {
    const { protocol, headers } = request;
    const name = nameOf(request, workspaceId);
    if (!this.#wasAsked(name)) return;
    this.#remember(name, { answer, version, host: headers.host, protocol });
  }

  #wasAsked(name: string): boolean {
    const hash = hashOf(name);
    const slot = hash & (ASKED_SLOTS - 1);
    if (this.#asked[slot] === hash) return true;
    this.#asked[slot] = hash;
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

  #remember(name: string, known: Known): void {
    const before = this.#recent.get(name);
    this.#bytes += bytesOf(name, known) - (before ? bytesOf(name, before) : 0);
    if (this.#bytes > BYTES_MAX) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#bytes = bytesOf(name, known);
    }
    this.#recent.set(name, known);
  }
}

/** Text is counted as if every character took two bytes, as those beyond Latin-1 do. */
function bytesOf(name: string, { answer }: Known): number {
  const { headers, body } = answer;
  return 2 * (name.length + body.length + (headers.link?.length ?? 0)) + ENTRY_BYTES;
}

function nameOf(request: FastifyRequest, workspaceId: number): string {
  return `${workspaceId} ${request.raw.url}`;
}

/** Of the end, where addresses differ most; two that are taken for one cost only some room. */
function hashOf(name: string): number {
  let hash = name.length;
  for (let at = Math.max(0, name.length - HASHED_LENGTH); at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}
