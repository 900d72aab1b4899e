// Runs a write: one transaction around the handler and, when the request carries an Idempotency-Key,
// around the stored answer too, so that both are kept or neither is. This is the one place through which
// every change made by the API passes.

import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Datastore, Transaction } from '../datastore/datastore.ts';
import { Refusal } from '../domain/errors.ts';
import { errorText } from './response/errors.ts';
import type { HttpResponse } from './response/response.ts';
import { JSON_TYPE } from './response/send.ts';

export interface Write {
  /** What the operation answers, given a transaction. */
  run: (tx: Transaction) => Promise<HttpResponse>;
  /** What of its answer may be stored. */
  storable: (answer: HttpResponse) => HttpResponse;
  workspaceId: number;
  /** Anonymous callers share no workspace, so their keys are told apart by address. */
  owner: string;
  now: number;
}

const STORED_STATUSES = new Set([404, 409, 412]);
const KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;

export class Writer {
  readonly #store: Datastore;
  readonly #noteChange: (workspaceId: number) => void;
  readonly #running = new Set<string>();

  /** Whoever depends on what is stored is told of every change, before the client is. */
  constructor(store: Datastore, noteChange: (workspaceId: number) => void) {
    this.#store = store;
    this.#noteChange = noteChange;
  }

  async write(request: FastifyRequest, write: Write): Promise<HttpResponse> {
    try {
      return await this.#write(request, write);
    } finally {
      this.#noteChange(write.workspaceId);
    }
  }

  async #write(request: FastifyRequest, write: Write): Promise<HttpResponse> {
    const key = request.headers['idempotency-key'];
    if (key === undefined) return this.#store.transact(write.run);
    if (typeof key !== 'string' || !KEY_SHAPE.test(key)) {
      throw new Refusal('invalid_request', {
        message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
        details: [
          { field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
        ],
      });
    }
    const owned = `${write.owner}${key}`;
    const name = `${write.workspaceId} ${owned}`;
    if (this.#running.has(name)) throw new Refusal('idempotency_in_progress');
    this.#running.add(name);
    try {
      return await this.#writeOnce(request, write, owned);
    } finally {
      this.#running.delete(name);
    }
  }

  #writeOnce(request: FastifyRequest, write: Write, key: string): Promise<HttpResponse> {
    const { workspaceId, now } = write;
    return this.#store.transact(async (tx) => {
      const claim = await tx.idempotency.claim(workspaceId, key, fingerprintOf(request), now);
      if (claim === 'reused') throw new Refusal('idempotency_key_reused');
      if (claim !== 'claimed') return replayOf(claim);
      const answer = await answerOrRefusal(tx, write, request.id);
      await tx.idempotency.store(workspaceId, key, write.storable(answer));
      return answer;
    });
  }
}

async function answerOrRefusal(
  tx: Transaction,
  write: Write,
  requestId: string,
): Promise<HttpResponse> {
  try {
    return await tx.attempt(() => write.run(tx));
  } catch (err) {
    if (!(err instanceof Refusal) || !STORED_STATUSES.has(err.status)) throw err;
    const headers = { 'content-type': JSON_TYPE };
    return { status: err.status, headers, body: errorText(err, requestId) };
  }
}

function replayOf(answer: HttpResponse): HttpResponse {
  return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } };
}

/** Method, address and the very bytes of the body: what makes two requests the same. */
function fingerprintOf(request: FastifyRequest): string {
  return createHash('sha256')
    .update(`${request.method} ${request.raw.url}\n`)
    .update((request.body as { bytes?: Buffer } | undefined)?.bytes ?? '')
    .digest('base64url');
}
