// Writes client/src/cli/commands.ts from the operations: one command for each, with its flags and an example.

import type { Operation } from '../server/src/operations/operation.ts';
import { operations } from '../server/src/operations/operations.ts';
import { pagingParameters } from '../server/src/operations/parameters.ts';
import { listByIdOf, methodName } from './client-contract.ts';

interface Schema {
  type?: string;
  format?: string;
  enum?: readonly string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  description?: string;
  nullable?: boolean;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
}

/** The noun of a command, where it is not the operation's tag. */
const nouns: Record<string, string> = { animals: 'pets', inventory: 'stock' };

/** Commands whose name does not follow from the operation's. */
const names: Record<string, string> = {
  updateInventory: 'stock set',
  listMovements: 'stock history',
  listLedger: 'stock ledger',
  reverseMovement: 'stock undo',
  getUsage: 'usage',
  getUsageMinutes: 'usage minutes',
  getUsageAdvice: 'plan advice',
  listPlans: 'plan list',
  // Those of the key's own workspace. `get` and `update` take the id of any, for operators.
  getWorkspace: 'workspaces show',
  updateWorkspace: 'workspaces set',
  signUp: 'workspaces sign-up',
  listAttempts: 'webhooks attempts',
  listParked: 'webhooks parked',
  redeliverEvent: 'webhooks redeliver',
  closeWorkspace: 'workspaces close-own',
  reopenWorkspace: 'workspaces reopen-own',
  exportWorkspace: 'workspaces export-own',
  putPetByReference: 'pets put',
};

/** Bodies for examples, where that of the contract changes nothing. */
const examples: Record<string, object> = {
  updateWorkspace: { name: 'Happy Paws' },
  adminUpdateWorkspace: { name: 'Happy Paws' },
};

/** Flags for examples of commands that are seldom given without. */
const exampleFlags: Record<string, string> = {
  adminListKeys: '--id psk_3ZrHIxYj',
  adminListRequests: '--workspace-id 1 --status 5xx',
  adminListAudit: '--workspace-id 1',
};

/** What a flag is for, where the contract says it of the whole body or of each alternative. */
const descriptions: Record<string, string> = {
  mode: '`all` (default): one refused row refuses the batch. `each`: refused rows are skipped, and their results say why.',
  pets: 'The pets to create: a JSON array, or @FILE.',
  orders: 'The orders to place: a JSON array, or @FILE.',
  items: 'The stock to set or to change: a JSON array, or @FILE.',
  limits: 'The limits of plan `enterprise`: a JSON object with `perMinute` and `perDay`, or @FILE.',
};

export function commandName(operation: Operation): string {
  const { id, tag } = operation;
  if (tag === 'admin') return names[id] ?? operatorName(id);
  return names[id] ?? `${nouns[tag] ?? tag} ${kebab(methodName(operation))}`;
}

/** An operator's commands have the nouns of the others: `adminListRequests` is `requests list-any` beside `requests list`. */
function operatorName(id: string): string {
  const [, verb = '', noun = ''] = /^admin([A-Z][a-z]+)(\w+)$/.exec(id)!;
  const plural = noun.endsWith('s') || noun === 'Audit' ? noun : `${noun}s`;
  const name = `${plural} ${verb}`.toLowerCase();
  const others = operations.filter(({ tag }) => tag !== 'admin').map(commandName);
  return others.includes(name) ? `${name}-any` : name;
}

/** A command line has no browser that could hold a session. Streams and files have commands of their own. */
export function hasCommand({ tag, success }: Operation): boolean {
  return tag !== 'session' && success.kind !== 'stream' && success.kind !== 'download';
}

export function clientCommandsText(): string {
  const rows = operations
    .filter(hasCommand)
    .map((operation) => `  ${JSON.stringify(commandOf(operation))},`);
  return `// Generated from the operations by \`npm run generate\`. Do not edit.

import type { OperationCommand } from './command.ts';

export const operationCommands: readonly OperationCommand[] = [
${rows.join('\n')}
];
`;
}

function commandOf(operation: Operation): object {
  const { id, method, summary, params = {}, kind, success, metering, scope } = operation;
  const { isConditional, isBodyOptional } = operation;
  // A deprecated read of one record sends its successor, as the method of the client does.
  const list = listByIdOf(operation);
  return {
    name: commandName(operation),
    summary,
    operation: id,
    method,
    path: list?.path ?? operation.path,
    positionals: list ? ['id'] : Object.keys(params),
    flags: [...bodyFlags(operation.body as Schema | undefined), ...queryFlags(operation)],
    columns: columnsOf(success as { schema?: Schema }),
    ...(success.kind === 'list' || success.kind === 'feed' ? { isList: true } : {}),
    ...(kind === 'write' ? { isWrite: true } : {}),
    ...(operation.body ? { hasBody: true } : {}),
    ...(isBodyOptional ? { isBodyOptional } : {}),
    ...(isConditional ? { hasIfMatch: true } : {}),
    ...(operation.takesDryRun ? { hasDryRun: true } : {}),
    ...(metering || scope === 'none' ? { isFree: true } : {}),
    ...(scope === 'none' ? { isPublic: true } : {}),
    ...(list ? { isOneOfList: true } : {}),
    example: exampleOf(operation),
  };
}

function bodyFlags(body: Schema | undefined): object[] {
  const { properties, required } = fieldsOf(body);
  return Object.entries(properties).map(([field, schema]) => ({
    ...flagOf(field, schema),
    in: 'body',
    ...(required.includes(field) ? { isRequired: true } : {}),
    ...(isNullable(schema) ? { isNullable: true } : {}),
  }));
}

/**
 * The fields of a body. Where it is made of alternatives, those of all, and required is what each of them requires.
 * Alternatives beside `properties` only restrict these.
 */
function fieldsOf(body: Schema | undefined): {
  properties: Record<string, Schema>;
  required: readonly string[];
} {
  const alternatives = body?.properties ? undefined : (body?.anyOf ?? body?.oneOf);
  if (!alternatives) {
    return { properties: body?.properties ?? {}, required: body?.required ?? [] };
  }
  const all = alternatives.map(fieldsOf);
  const properties: Record<string, Schema> = {};
  for (const each of all) {
    for (const [field, schema] of Object.entries(each.properties)) {
      const known = properties[field];
      properties[field] = known ? merged(known, schema) : schema;
    }
  }
  const [first] = all;
  const required = first!.required.filter((field) =>
    all.every((each) => each.required.includes(field)),
  );
  return { properties, required };
}

/** A field that several alternatives have: it takes the choices of all of them. */
function merged(a: Schema, b: Schema): Schema {
  const choices = a.enum && b.enum ? { enum: [...new Set([...a.enum, ...b.enum])] } : {};
  const texts = [a.description, b.description].filter(Boolean);
  return { ...a, ...choices, description: [...new Set(texts)].join(' ') };
}

function isNullable({ nullable, anyOf, oneOf }: Schema): boolean {
  return nullable === true || (anyOf ?? oneOf ?? []).some(({ type }) => type === 'null');
}

function queryFlags({ query, list }: Operation): object[] {
  // `--dry-run` is a switch of its own.
  const { dryRun: _, ...own } = query ?? {};
  const all = { ...own, ...(list ? pagingParameters(list, own) : {}) };
  return Object.entries(all).map(([field, { schema, repeatable, description }]) => ({
    ...flagOf(field, { ...(schema as Schema), description }),
    in: 'query',
    ...(repeatable ? { isRepeatable: true } : {}),
  }));
}

/** The schema without the alternative null, where one alternative is left. */
function withoutNull(schema: Schema): Schema {
  const others = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  return others.length === 1
    ? ({ description: schema.description, ...others[0] } as Schema)
    : schema;
}

function flagOf(field: string, given: Schema): object {
  const schema = withoutNull(given);
  const choices = (schema.enum ?? schema.items?.enum)?.filter((choice) => choice !== null);
  return {
    name: kebab(field),
    field,
    type: typeOf(schema),
    description: descriptions[field] ?? schema.description ?? '',
    ...(choices ? { choices } : {}),
    ...(schema.format === 'date-time' ? { isTime: true } : {}),
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

/** A line for a shell. It works as it stands in a store that has a record 1 of each kind, and those of the examples. */
function exampleOf(operation: Operation): string {
  const { id, params = {}, body, requestExample } = operation;
  const { properties } = fieldsOf(body as Schema | undefined);
  const words = Object.entries(params).map(([name, { example = 1 }]) =>
    name === 'keyId' ? 'KEY_ID' : quoted(String(example)),
  );
  const values = Object.entries(examples[id] ?? (requestExample as object | undefined) ?? {});
  const flags = values.map(([field, value]) => {
    return `--${kebab(field)} ${quoted(flagText(value, properties[field]!))}`;
  });
  const always = exampleFlags[id] ? [exampleFlags[id]] : [];
  return ['petstore', commandName(operation), ...words, ...flags, ...always].join(' ');
}

/** A value as a flag takes it. */
function flagText(value: unknown, schema: Schema): string {
  if (typeOf(withoutNull(schema)) === 'json') return JSON.stringify(value);
  return Array.isArray(value) ? value.join(',') : String(value);
}

function quoted(text: string): string {
  return /^[\w.,:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function kebab(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
