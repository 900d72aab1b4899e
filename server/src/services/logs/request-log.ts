// Requests that wrote or were refused wait here until they are written together with the usage (usage-recorder.ts). This
// node finds them meanwhile. A crash loses those that were not written yet.

import { randomBytes } from 'node:crypto';
import type { Page, PageRequest } from '../../datastore/list.ts';
import type { RequestLogReader } from '../../datastore/logs/request-log.ts';
import { MINUTE_MS } from '../../domain/durations.ts';
import { isWanted, type LoggedRequest, type RequestFilter } from '../../domain/logs/request.ts';
import type { Position } from '../../lib/cursor.ts';

/** How many wait at most. Beyond that, requests are dropped and counted. */
export const REQUEST_ROWS_MAX = 20_000;
/** How many are written in one transaction. */
const WRITTEN_MAX = 500;
/** How many equal 429s of one key a node keeps in a minute. */
const EQUAL_REFUSALS_MAX = 10;
/** How many kinds of 429s a node tells apart in a minute. Others are not kept. */
const REFUSAL_KINDS_MAX = 10_000;
/** Of a count in base 36. Equally long texts are in the order of their numbers. */
const COUNT_DIGITS = 9;

export class RequestLog {
  readonly #node = randomBytes(9).toString('base64url');
  #count = 0;
  /** Oldest first. */
  #waiting: LoggedRequest[] = [];
  #minute = 0;
  #refusals = new Map<string, number>();
  #dropped = 0;

  /** How many requests were dropped because too many waited, or because they could not be written. */
  get dropped(): number {
    return this.#dropped;
  }

  add(request: Omit<LoggedRequest, 'entry'>): void {
    if (this.#waiting.length >= REQUEST_ROWS_MAX) {
      this.#dropped += 1;
      return;
    }
    const count = (this.#count++).toString(36).padStart(COUNT_DIGITS, '0');
    this.#waiting.push({ ...request, entry: `${this.#node}${count}` });
  }

  /** Whether one more 429 of this kind is kept: a client that sends on would fill the log with equal rows. */
  keepsRefusal(kind: string, at: number): boolean {
    const minute = Math.floor(at / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#refusals.clear();
    }
    const count = this.#refusals.get(kind) ?? 0;
    if (count === 0 && this.#refusals.size >= REFUSAL_KINDS_MAX) return false;
    this.#refusals.set(kind, count + 1);
    return count < EQUAL_REFUSALS_MAX;
  }

  /** How many transactions it takes to write what waits now. */
  get batches(): number {
    return Math.ceil(this.#waiting.length / WRITTEN_MAX);
  }

  /** The oldest requests, to be written in one transaction. They wait until `remove` is called. */
  oldest(): readonly LoggedRequest[] {
    return this.#waiting.slice(0, WRITTEN_MAX);
  }

  /** Removes the oldest requests, which are written. */
  remove(count: number): void {
    this.#waiting.splice(0, count);
  }

  /** Removes the oldest requests, which cannot be written. */
  drop(count: number): void {
    this.remove(count);
    this.#dropped += count;
  }

  /** A page of the requests that are written and of those that wait here. */
  async list(
    stored: RequestLogReader,
    { workspaceId, filter, page }: { workspaceId: number; filter: RequestFilter; page: LogPage },
  ): Promise<Page<LoggedRequest>> {
    const order = page.sort === 'at' ? 1 : -1;
    const isAfter = (request: LoggedRequest, end: Position) => order * compare(request, end) > 0;
    // Before the read: a request that is written meanwhile is in both, and none is in neither.
    const waiting = this.#waiting.filter(
      (request) =>
        request.workspaceId === workspaceId &&
        isWanted(request, filter) &&
        (!page.after || isAfter(request, page.after)),
    );
    const read = await stored.list(workspaceId, filter, page);
    const known = new Set(read.items.map(({ entry }) => entry));
    const { end } = read;
    const added = waiting.filter(
      (request) => !known.has(request.entry) && !(end && isAfter(request, end)),
    );
    const all = [...read.items, ...added].sort((a, b) => order * compare(a, positionOf(b)));
    if (all.length <= page.limit) return { ...read, items: all };
    const items = all.slice(0, page.limit);
    return { items, hasMore: true, end: positionOf(items.at(-1)!) };
  }

  /** The newest request of this id, of one workspace or of any. */
  async find(
    stored: RequestLogReader,
    id: string,
    workspaceId?: number,
  ): Promise<LoggedRequest | undefined> {
    const isMeant = (request: LoggedRequest) =>
      request.id === id && (workspaceId === undefined || request.workspaceId === workspaceId);
    return this.#waiting.findLast(isMeant) ?? stored.find(id, workspaceId);
  }
}

type LogPage = PageRequest<'at'>;

function positionOf({ at, entry }: LoggedRequest): Position {
  return [at, entry];
}

function compare(request: LoggedRequest, [at, entry]: Position): number {
  if (request.at !== at) return request.at < (at as number) ? -1 : 1;
  if (request.entry === entry) return 0;
  return request.entry < (entry as string) ? -1 : 1;
}
