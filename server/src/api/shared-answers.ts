// Where reads of one turn of the event loop are sent to the database together, those that ask for the same
// share one answer: it is read after all of them have asked, so none of them can tell. Nothing is given to whoever asks later.

import type { FastifyRequest } from 'fastify';
import type { Answer } from './answer.ts';

interface UnderWay {
  request: FastifyRequest;
  workspaceId: number;
  answer: Promise<Answer>;
}

export class SharedAnswers {
  readonly #readsSent: () => number;
  /** By address, the last of those who asked for it. */
  readonly #underWay = new Map<string, UnderWay>();
  #sent = -1;

  /** How often reads were sent: an answer may be shared until that changes. */
  constructor(readsSent: () => number) {
    this.#readsSent = readsSent;
  }

  get(request: FastifyRequest, workspaceId: number, read: () => Promise<Answer>): Promise<Answer> {
    const sent = this.#readsSent();
    if (sent !== this.#sent) {
      this.#underWay.clear();
      this.#sent = sent;
    }
    const address = request.raw.url!;
    const found = this.#underWay.get(address);
    if (found && found.workspaceId === workspaceId && isSameOrigin(found.request, request)) {
      return found.answer;
    }
    const answer = read();
    this.#underWay.set(address, { request, workspaceId, answer });
    return answer;
  }
}

/** The link to the next page names the host and the protocol that were asked. */
function isSameOrigin(one: FastifyRequest, other: FastifyRequest): boolean {
  return one.headers.host === other.headers.host && one.protocol === other.protocol;
}
