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
