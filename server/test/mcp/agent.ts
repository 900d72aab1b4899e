// Messages to /mcp as a client of the current revision sends them.

import type { Answer, CallOptions, TestApp } from '../support/app.ts';

export const MODERN = '2026-07-28';
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface SendOptions extends CallOptions {
  /** The query of the address. */
  search?: string;
}

export interface ToolResult {
  content: [{ type: 'text'; text: string }];
  structuredContent?: unknown;
  isError?: true;
}

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
type Any = any;

/** Sends a request of the current revision. */
export function send(
  app: TestApp,
  method: string,
  params: Record<string, unknown> = {},
  { search = '', headers, ...options }: SendOptions = {},
): Promise<Answer<Any>> {
  const named = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  return app.call('POST', `/mcp${search}`, {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } },
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...named, ...headers },
    ...options,
  });
}

/** Calls a tool and returns its result. */
export async function callTool(
  app: TestApp,
  name: string,
  given: Record<string, unknown> = {},
  options: SendOptions = {},
): Promise<ToolResult & { value: Any; answer: Answer<Any> }> {
  const answer = await send(app, 'tools/call', { name, arguments: given }, options);
  const result = answer.body.result as ToolResult | undefined;
  if (!result) throw new Error(`no result: ${answer.status} ${answer.text}`);
  return { ...result, value: JSON.parse(result.content[0].text), answer };
}

export async function listTools(app: TestApp, options: SendOptions = {}): Promise<Any[]> {
  const { body } = await send(app, 'tools/list', {}, options);
  return body.result.tools;
}

export async function toolNames(app: TestApp, options: SendOptions = {}): Promise<string[]> {
  return (await listTools(app, options)).map(({ name }: { name: string }) => name);
}
