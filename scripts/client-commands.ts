// Writes client/src/cli/commands.ts from the operations: one command for each, with its flags and an example.

import type { Operation } from '../server/src/operations/operation.ts';
import { operations } from '../server/src/operations/operations.ts';
import { pagingParameters } from '../server/src/operations/parameters.ts';
import { methodName } from './client-contract.ts';

interface Schema {
  type?: string;
  format?: string;
  enum?: readonly string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  description?: string;
  nullable?: boolean;
}

/** The words of a command before its verb. */
const places: Record<string, string> = {
  animals: 'pets',
  categories: 'categories',
  inventory: 'stock',
  orders: 'orders',
  workspace: 'account',
  keys: 'account keys',
  usage: 'account',
  admin: 'admin',
  events: 'account events',
  webhooks: 'account webhooks',
};

/** Commands whose name does not follow from the operation's. */
const names: Record<string, string> = {
  updateInventory: 'stock set',
  listMovements: 'stock history',
  getWorkspace: 'account show',
  getUsage: 'account usage',
  getUsageAdvice: 'account advice',
  listPlans: 'account plans',
  signUp: 'account sign-up',
  adminListWorkspaces: 'admin workspaces list',
  adminCreateWorkspace: 'admin workspaces create',
  adminGetWorkspace: 'admin workspaces get',
  adminUpdateWorkspace: 'admin workspaces update',
  adminListBans: 'admin bans list',
  adminLiftBan: 'admin bans lift',
};

export function commandName(operation: Operation): string {
  const { id, tag } = operation;
  return names[id] ?? `${places[tag]} ${kebab(methodName(operation))}`;
}

export function clientCommandsText(): string {
  const rows = operations
    .filter(({ id }) => id !== 'streamEvents')
    .map((operation) => `  ${JSON.stringify(commandOf(operation))},`);
  return `// Generated from the operations by \`npm run generate\`. Do not edit.

import type { OperationCommand } from './command.ts';

export const operationCommands: readonly OperationCommand[] = [
${rows.join('\n')}
];
`;
}

function commandOf(operation: Operation): object {
  const { id, method, path, summary, params = {}, kind, success, metering, scope } = operation;
  const { deprecation, matches, isBodyOptional } = operation;
  return {
    name: commandName(operation),
    summary,
    operation: id,
    method,
    path,
    positionals: Object.keys(params),
    flags: [...bodyFlags(operation.body as Schema | undefined), ...queryFlags(operation)],
    columns: columnsOf(success as { schema?: Schema }),
    ...(success.kind === 'list' || success.kind === 'feed' ? { isList: true } : {}),
    ...(kind === 'write' ? { isWrite: true } : {}),
    ...(isBodyOptional ? { isBodyOptional } : {}),
    ...(matches ? { hasIfMatch: true } : {}),
    ...(metering || scope === 'none' ? { isFree: true } : {}),
    ...(deprecation ? { deprecated: `until ${deprecation.sunset}; use pets list --id ID` } : {}),
    example: exampleOf(operation),
  };
}

function bodyFlags(body: Schema | undefined): object[] {
  const required = body?.required ?? [];
  return Object.entries(body?.properties ?? {}).map(([field, schema]) => ({
    ...flagOf(field, schema),
    in: 'body',
    ...(required.includes(field) ? { isRequired: true } : {}),
    ...(schema.nullable ? { isNullable: true } : {}),
  }));
}

function queryFlags({ query, list }: Operation): object[] {
  const all = { ...query, ...(list ? pagingParameters(list.sorts) : {}) };
  return Object.entries(all).map(([field, { schema, repeatable, description }]) => ({
    ...flagOf(field, { ...(schema as Schema), description }),
    in: 'query',
    ...(repeatable ? { isRepeatable: true } : {}),
  }));
}

function flagOf(field: string, schema: Schema): object {
  const choices = (schema.enum ?? schema.items?.enum)?.filter((choice) => choice !== null);
  return {
    name: kebab(field),
    field,
    type: typeOf(schema),
    description: schema.description ?? '',
    ...(choices ? { choices } : {}),
    ...(schema.type === 'array' && schema.items?.type === 'string' ? { isList: true } : {}),
  };
}

function typeOf({ type, items }: Schema): string {
  if (type === 'array') return items?.type === 'string' ? 'string' : 'json';
  if (type === 'integer' || type === 'number') return 'integer';
  if (type === 'boolean' || type === 'string') return type;
  return 'json';
}

function columnsOf({ schema }: { schema?: Schema }): string[] {
  return Object.keys(schema?.properties ?? {});
}

function exampleOf(operation: Operation): string {
  const { params = {}, body } = operation;
  const schema = body as Schema | undefined;
  const words = Object.keys(params).map((name) => (name === 'keyId' ? 'KEY_ID' : '1'));
  const flags = Object.entries(schema?.properties ?? {})
    .filter(([field]) => schema?.required?.includes(field))
    .map(([field, { type }]) => `--${kebab(field)} ${type === 'integer' ? 1 : placeholder(field)}`);
  return ['petstore', commandName(operation), ...words, ...flags].join(' ');
}

function placeholder(field: string): string {
  return field === 'name' ? 'Rex' : field.replaceAll(/[A-Z]/g, (c) => `_${c}`).toUpperCase();
}

function kebab(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
