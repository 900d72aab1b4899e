// What the comparison reads of an OpenAPI document.

export type Direction = 'request' | 'response';

export interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  enum?: readonly unknown[];
  nullable?: boolean;
  additionalProperties?: boolean | Schema;
  [keyword: string]: unknown;
}

export interface Reference {
  $ref?: string;
}

export interface Parameter extends Reference {
  name?: string;
  in?: string;
  required?: boolean;
  schema?: Schema;
}

export type Content = Record<string, { schema?: Schema }>;

export interface Body extends Reference {
  required?: boolean;
  content?: Content;
}

export interface Response extends Reference {
  content?: Content;
  headers?: Record<string, Parameter>;
}

export type PathItem = Record<string, Operation>;

export interface Operation {
  operationId?: string;
  'x-stability'?: string;
  'x-scope'?: string;
  'x-sunset'?: string;
  deprecated?: boolean;
  security?: readonly object[];
  parameters?: readonly Parameter[];
  requestBody?: Body;
  responses?: Record<string, Response>;
  callbacks?: Record<string, Record<string, PathItem>>;
}

export interface Contract {
  paths: Record<string, PathItem>;
  security?: readonly object[];
  components?: object;
}

/** Follows references until there is none. */
export function resolve<T extends Reference>(contract: Contract, node: T): T {
  let found = node;
  while (found.$ref !== undefined) {
    const target = at(contract, found.$ref);
    if (target === undefined) throw new Error(`the contract does not define ${found.$ref}`);
    found = target as T;
  }
  return found;
}

function at(contract: Contract, ref: string): unknown {
  let node: unknown = contract;
  for (const part of ref.replace(/^#\//, '').split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    node = (node as Record<string, unknown> | undefined)?.[name];
  }
  return node;
}
