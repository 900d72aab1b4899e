// Messages of JSON-RPC 2.0 as MCP uses them, in its two eras. Since 2026-07-28 each request carries its revision, and its
// headers repeat what a proxy wants to know. Before that, a client opens with `initialize`.

import { ForbiddenJson, MalformedJson, parseStrictJson } from '../lib/strict-json.ts';

const MODERN = '2026-07-28';
export const LEGACY = ['2025-11-25', '2025-06-18'] as const;
export const SUPPORTED = [MODERN, ...LEGACY] as const;

type Json = Record<string, unknown>;
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A response of HTTP: to a message, or of the operation that a message calls. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Message {
  id: string | number;
  method: string;
  params: Json;
  isModern: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const ACCEPTED: Reply = { status: 202, headers: {}, body: '' };
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** A JSON-RPC error, and the HTTP status of its reply. */
interface Fault {
  status?: number;
  code: number;
  message: string;
  data?: unknown;
}

export function faultReply(id: string | number | null, { status = 200, ...error }: Fault): Reply {
  return replyOf(JSON.stringify({ jsonrpc: '2.0', id, error }), status);
}

/** `result` is text that was made before. */
export function resultReply({ id }: Message, result: string): Reply {
  return replyOf(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, 200);
}

function replyOf(body: string, status: number): Reply {
  return { status, headers: { 'content-type': JSON_TYPE }, body };
}

/** The request in a body, or the reply to a body that is a notification, a response or invalid. */
export function readMessage(bytes: Uint8Array, headers: Headers): Message | Reply {
  const value = parse(bytes);
  if ('status' in value) return value as unknown as Reply;
  const { jsonrpc, id, method, params = {} } = value.message;
  if (jsonrpc !== '2.0') return invalid('The message has no "jsonrpc": "2.0".');
  const isResponse =
    method === undefined && ('result' in value.message || 'error' in value.message);
  if (isResponse) return ACCEPTED;
  if (typeof method !== 'string') return invalid('The message has no method.');
  if (!('id' in value.message)) return ACCEPTED;
  // A larger integer would come back as another one.
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) {
    return invalid('The id of a request must be a string or an integer up to 2^53-1.');
  }
  if (!isObject(params)) return invalid('The params of a request must be an object.');
  const message = { id: id as string | number, method, params };
  const fault = eraFault(message, headers);
  if (fault) return faultReply(message.id, { status: 400, ...fault });
  return { ...message, isModern: versionIn(message) !== undefined };
}

function parse(bytes: Uint8Array): { message: Json } | Reply {
  try {
    const message = parseStrictJson(bytes);
    if (Array.isArray(message)) return invalid('Batches are not supported: send one message.');
    return isObject(message) ? { message } : invalid('A message must be a JSON object.');
  } catch (err) {
    if (err instanceof MalformedJson) {
      return faultReply(null, { status: 400, code: -32700, message: err.message });
    }
    if (err instanceof ForbiddenJson) return invalid(`${err.field || 'body'} ${err.message}.`);
    throw err;
  }
}

function invalid(message: string): Reply {
  return faultReply(null, { status: 400, code: -32600, message });
}

function eraFault(message: Omit<Message, 'isModern'>, headers: Headers): Fault | undefined {
  const stated = headers['mcp-protocol-version'];
  const version = versionIn(message);
  if (version === undefined) {
    if (stated === undefined || (LEGACY as readonly unknown[]).includes(stated)) return undefined;
    if (stated !== MODERN) return unsupported(stated);
    return { code: -32602, message: `Requests of ${MODERN} need params._meta["${VERSION_KEY}"].` };
  }
  if (version !== MODERN) return unsupported(version);
  const { method, params } = message;
  const expected = {
    'MCP-Protocol-Version': version,
    'Mcp-Method': method,
    ...(method === 'tools/call' ? { 'Mcp-Name': params.name } : {}),
  };
  for (const [name, value] of Object.entries(expected)) {
    if (headers[name.toLowerCase()] === value) continue;
    return { code: -32020, message: `The header ${name} does not match the body.` };
  }
  if (isObject((params._meta as Json)[CAPABILITIES_KEY])) return undefined;
  return { code: -32602, message: `params._meta["${CAPABILITIES_KEY}"] is missing.` };
}

function unsupported(requested: unknown): Fault {
  const data = { supported: SUPPORTED, requested };
  return { code: -32022, message: 'This revision of the protocol is not supported.', data };
}

function versionIn({ params }: Pick<Message, 'params'>): unknown {
  return isObject(params._meta) ? params._meta[VERSION_KEY] : undefined;
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
