// RESP, version 2: how commands and replies of Valkey and Redis are written.

export type Reply = number | string | null | ReplyError | Reply[];

/** The store refused a command. */
export class ReplyError extends Error {}

export const NOT_RESP = 'Valkey does not speak RESP';

export function encodeCommand(words: readonly string[]): string {
  let text = `*${words.length}\r\n`;
  for (const word of words) text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
  return text;
}

export class ReplyParser {
  #text = '';
  #at = 0;

  /** Returns the replies that these bytes complete. Each character is a byte. */
  parse(bytes: string): Reply[] {
    this.#text = this.#text.slice(this.#at) + bytes;
    this.#at = 0;
    const replies: Reply[] = [];
    for (;;) {
      const start = this.#at;
      const reply = this.#next();
      if (reply === undefined) {
        this.#at = start;
        return replies;
      }
      replies.push(reply);
    }
  }

  /** Returns undefined until the whole reply has arrived. */
  #next(): Reply | undefined {
    const end = this.#text.indexOf('\r\n', this.#at);
    if (end === -1) return undefined;
    const kind = this.#text[this.#at];
    const rest = this.#text.slice(this.#at + 1, end);
    this.#at = end + 2;
    if (kind === ':') return Number(rest);
    if (kind === '*') return this.#list(lengthOf(rest));
    if (kind === '$') return this.#bulk(lengthOf(rest));
    if (kind === '+') return rest;
    if (kind === '-') return new ReplyError(rest);
    throw new Error(NOT_RESP);
  }

  #list(length: number): Reply | undefined {
    if (length === -1) return null;
    const list: Reply[] = [];
    while (list.length < length) {
      const item = this.#next();
      if (item === undefined) return undefined;
      list.push(item);
    }
    return list;
  }

  #bulk(length: number): Reply | undefined {
    if (length === -1) return null;
    const end = this.#at + length;
    if (this.#text.length < end + 2) return undefined;
    const value = this.#text.slice(this.#at, end);
    this.#at = end + 2;
    return value;
  }
}

/** A length of -1 means null. */
function lengthOf(text: string): number {
  const length = Number(text);
  if (!Number.isInteger(length) || length < -1) throw new Error(NOT_RESP);
  return length;
}
