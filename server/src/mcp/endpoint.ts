// The Model Context Protocol over the operations, without sessions: each message is answered from itself alone. This folder
// knows no HTTP server. It reads a message and says which operation to run with which request; http runs it.

import { API_VERSION } from '../contract/version.ts';
import type { Caller } from '../domain/key.ts';
import type { Dependencies, Operation } from '../operations/operation.ts';
import {
  faultReply,
  isObject,
  LEGACY,
  type Message,
  type Reply,
  readMessage,
  resultReply,
  SUPPORTED,
} from './json-rpc.ts';
import { type RequestParts, requestPartsOf } from './request-parts.ts';
import { type Selection, select, type Tool, toolsOf } from './tool.ts';
import { isArrayResponse } from './tool-schemas.ts';

interface McpRequest {
  bytes: Uint8Array;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  selection: Selection;
  caller: Caller;
}

/** A call of a tool. */
export interface ToolCall {
  operation: Operation;
  /** Throws a Refusal where the arguments are no request. */
  request: () => RequestParts;
  reply: (ofOperation: Reply) => Reply;
}

type ReadMessage = (request: McpRequest) => ToolCall | Reply;

const KEPT_MS = 300_000;
const SERVER = { name: 'petstore', title: 'Pet Store', version: API_VERSION };
const CAPABILITIES = { tools: {} };
const INSTRUCTIONS =
  'A pet store: pets of categories, their stock, and orders. Ids are integers that earlier answers gave; never guess them. ' +
  'An order reserves stock at once. On a conflict read `details` of the error. ' +
  'Before a change that the user has not confirmed, call the tool with `dryRun: true`: it checks the change and saves nothing. ' +
  'Pass a fresh `idempotencyKey` with each change, and the same again when you repeat a call. ' +
  'When calls are refused with 429, wait as long as `Retry-After` says.';
const CACHE = `"ttlMs":${KEPT_MS},"cacheScope":"private"`;
const COMPLETE = `"resultType":"complete","_meta":${JSON.stringify({ 'io.modelcontextprotocol/serverInfo': SERVER })}`;

/** Returns the function that reads a message. */
export function createEndpoint(operations: readonly Operation[], deps: Dependencies): ReadMessage {
  const tools = toolsOf(operations);
  return ({ bytes, headers, selection, caller }) => {
    const selected = select(tools, selection, caller);
    const offered = selected.filter(
      ({ operation: { isOffered } }) => !isOffered || isOffered(deps),
    );
    const message = readMessage(bytes, headers);
    if ('status' in message) return message;
    if (message.method === 'tools/call') return callOf(message, offered, selection);
    const answer = (message.isModern ? modern : legacy).get(message.method);
    return answer
      ? resultReply(message, answer(message, offered, selection))
      : faultReply(message.id, { status: 404, code: -32601, message: 'There is no such method.' });
  };
}

type Answer = (message: Message, tools: readonly Tool[], selection: Selection) => string;

const listTools: Answer = ({ isModern }, tools, { structured }) => {
  const entries = tools.map((tool) => (structured ? tool.structuredText() : tool.text()));
  return `{"tools":[${entries.join()}]${isModern ? `,${CACHE},${COMPLETE}` : ''}}`;
};

const discovered = JSON.stringify({
  supportedVersions: SUPPORTED,
  capabilities: CAPABILITIES,
  instructions: INSTRUCTIONS,
});
const modern = new Map<string, Answer>([
  ['server/discover', () => `${discovered.slice(0, -1)},${CACHE},${COMPLETE}}`],
  ['tools/list', listTools],
]);

/** A client that asks for another revision is offered the latest of its era. */
const initialize: Answer = ({ params: { protocolVersion: asked } }) =>
  JSON.stringify({
    protocolVersion: LEGACY.find((version) => version === asked) ?? LEGACY[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER,
    instructions: INSTRUCTIONS,
  });

const legacy = new Map<string, Answer>([
  ['initialize', initialize],
  ['ping', () => '{}'],
  ['tools/list', listTools],
]);

function callOf(
  message: Message,
  tools: readonly Tool[],
  { structured = false }: Selection,
): ToolCall | Reply {
  const { name, arguments: given = {} } = message.params;
  const tool = tools.find((one) => one.name === name);
  if (!tool) {
    const text = `There is no tool ${JSON.stringify(name ?? null).slice(0, 100)}.`;
    return faultReply(message.id, { code: -32602, message: text });
  }
  if (!isObject(given)) {
    return faultReply(message.id, { code: -32602, message: 'The arguments must be an object.' });
  }
  const { operation } = tool;
  const end = message.isModern ? `,${COMPLETE}}` : '}';
  return {
    operation,
    request: () => requestPartsOf(operation, given),
    reply: (ofOperation) =>
      resultReply(message, `${toolResult(operation, ofOperation, structured).slice(0, -1)}${end}`),
  };
}

/** The result of a call as text: one text content, which is the JSON of the response. */
function toolResult(
  { success }: Operation,
  { status, headers, body }: Reply,
  isStructured: boolean,
): string {
  if (status >= 400) return `{"content":${contentOf(body)},"isError":true}`;
  const value = isArrayResponse(success) ? pageOf(body, headers) : body || '{}';
  return isStructured
    ? `{"content":${contentOf(value)},"structuredContent":${value}}`
    : `{"content":${contentOf(value)}}`;
}

function contentOf(text: string): string {
  return `[{"type":"text","text":${JSON.stringify(text)}}]`;
}

function pageOf(items: string, headers: Readonly<Record<string, string>>): string {
  const next = headers['events-cursor'] ?? cursorIn(headers.link);
  return `{"items":${items}${next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`}}`;
}

/** The cursor in the URL of a Link header. */
function cursorIn(link: string | undefined): string | undefined {
  const url = /<([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
  return url && (new URL(url, 'http://localhost').searchParams.get('cursor') ?? undefined);
}
