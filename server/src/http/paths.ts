import type { Operation } from '../operations/operation.ts';

/** Where agents send their messages. */
export const MCP_PATH = '/mcp';

/** A URL path of the API. */
export interface Path {
  path: string;
  shape: RegExp;
  methods: string[];
}

/** The paths of all operations, each with its methods; those without parameters first. */
export function pathsOf(operations: readonly Operation[]): Path[] {
  const paths = new Map<string, Path>();
  for (const { path, method } of operations) {
    const shape = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`);
    const known = paths.get(path) ?? { path, shape, methods: [] };
    known.methods.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]));
    paths.set(path, known);
  }
  return [...paths.values()].sort((a, b) => parameterCount(a) - parameterCount(b));
}

/** Paths that the pattern of another path also matches: /pets/batch looks like /pets/{petId}. */
export function shadowedPaths(paths: readonly Path[]): Path[] {
  return paths.filter(({ path }) =>
    paths.some((other) => other.path !== path && other.shape.test(path)),
  );
}

function parameterCount({ path }: Path): number {
  return path.split('{').length - 1;
}

/** Longer paths get no suggestion, so that an unknown path costs little. */
const LENGTH_MAX = 60;

/** The path of the API that a client may have meant, or undefined if none is similar. */
export function findNearestPath(path: string, paths: readonly Path[]): string | undefined {
  if (path.length > LENGTH_MAX) return undefined;
  const asked = path.replace(/\/+$/, '');
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(asked.length / 4)) + 1;
  for (const candidate of paths) {
    const filled = fillParameters(candidate.path, asked);
    // /orders is /store/orders without its first part.
    const isEnd = asked !== '' && filled.endsWith(asked);
    const distance = isEnd ? 1 : editDistance(asked.toLowerCase(), filled.toLowerCase());
    if (distance < least) [nearest, least] = [filled, distance];
  }
  return nearest;
}

/** Puts the parts of the asked path in place of the parameters: /pet/7 is compared with /pets/7. */
function fillParameters(path: string, asked: string): string {
  const parts = asked.split('/');
  return path
    .split('/')
    .map((part, at) => (part.startsWith('{') && parts[at] ? parts[at] : part))
    .join('/');
}

/** The number of characters to insert, delete or replace (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
