import { invalidField } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import { bool, type Params, text } from '../operations/parameters.ts';
import type { Tool } from './tool.ts';

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
