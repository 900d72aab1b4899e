// A tool is an operation. What a model reads of it is made once and kept as text.

import { invalidField } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import { once } from '../lib/once.ts';
import type { Operation } from '../operations/operation.ts';
import { bool, type Params, text } from '../operations/parameters.ts';
import { inputSchemaOf, outputSchemaOf } from './tool-schemas.ts';

export interface Tool {
  name: string;
  operation: Operation;
  isRead: boolean;
  /** Its entry in the list of tools. */
  text: () => string;
  /** The same with an outputSchema. */
  structuredText: () => string;
}

/** Sessions are for browsers, streams do not end, files are long, and a response with a secret must not reach a model. */
function isTool({ deprecation, scope, tag, success, storable }: Operation): boolean {
  return !deprecation && scope !== 'none' && tag !== 'session' && !isLong(success) && !storable;
}

function isLong({ kind }: Operation['success']): boolean {
  return kind === 'stream' || kind === 'download';
}

export function toolsOf(operations: readonly Operation[]): Tool[] {
  return operations.filter(isTool).map((operation) => {
    const entry = once(() => entryOf(operation));
    return {
      name: operation.id,
      operation,
      isRead: operation.kind === 'read',
      text: once(() => JSON.stringify(entry())),
      structuredText: once(() =>
        JSON.stringify({ ...entry(), outputSchema: outputSchemaOf(operation) }),
      ),
    };
  });
}

function entryOf(operation: Operation) {
  const { id, description = `${operation.summary}.` } = operation;
  return {
    name: id,
    // A result has no links: the cursor in one is a field of it.
    description: description.replaceAll('`next` link', '`nextCursor`'),
    inputSchema: inputSchemaOf(operation),
    annotations: annotationsOf(operation),
  };
}

function annotationsOf({ kind, method, overwrites }: Operation) {
  if (kind === 'read') return { readOnlyHint: true, openWorldHint: false };
  const isPost = method === 'POST';
  return {
    destructiveHint: !isPost || overwrites === true,
    ...(isPost ? {} : { idempotentHint: true }),
    // An action sends a request to a host of someone else.
    openWorldHint: kind === 'action',
  };
}

/** The query parameters of /mcp. */
export const selectionQuery = {
  tools: text('Tags and names of tools, separated by commas.', 2_000),
  readonly: bool('Only tools that read.'),
  structured: bool('Adds `outputSchema` to tools and `structuredContent` to results.'),
} satisfies Params;

export interface Selection {
  tools?: string;
  readonly?: boolean;
  structured?: boolean;
}

const DEFAULT = ['animals', 'categories', 'inventory', 'orders', 'usage', 'listEvents'];

/** The tools that this key sees at this URL. All others do not exist for it. */
export function select(
  tools: readonly Tool[],
  { tools: named, readonly = false }: Selection,
  { scopes }: Caller,
): Tool[] {
  const wanted = new Set(named === undefined ? DEFAULT : named.split(','));
  for (const name of wanted) {
    if (!tools.some((tool) => tool.name === name || tool.operation.tag === name)) {
      throw invalidField('tools', `has ${JSON.stringify(name)}, which is neither a tag nor a tool`);
    }
  }
  return tools.filter(({ name, operation: { tag, scope }, isRead }) => {
    const isAllowed = scope === 'any' || scopes.includes(scope as never);
    return isAllowed && (wanted.has(tag) || wanted.has(name)) && (isRead || !readonly);
  });
}
