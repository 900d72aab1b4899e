// Writes client/src/contract.ts from the operations: the shapes of the API as types, and one class per group with
// one method per operation. The names of the methods are part of the text, so a rename shows in review.

import type { Operation } from '../server/src/operations/operation.ts';
import { operations } from '../server/src/operations/operations.ts';
import { pagingParameters } from '../server/src/operations/parameters.ts';

interface Schema {
  title?: string;
  type?: string;
  format?: string;
  enum?: readonly unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  nullable?: boolean;
  description?: string;
}

/** The class of a tag, and the nouns that are left out of its method names. */
const groups: Record<
  string,
  { name: string; nouns: readonly string[]; plurals: readonly string[] }
> = {
  animals: { name: 'Pets', nouns: ['Pet'], plurals: ['Pets'] },
  categories: { name: 'Categories', nouns: ['Category'], plurals: ['Categories'] },
  inventory: { name: 'Inventory', nouns: ['InventoryItem', 'Inventory'], plurals: [] },
  orders: { name: 'Orders', nouns: ['Order'], plurals: ['Orders'] },
  workspace: { name: 'Workspaces', nouns: ['Workspace'], plurals: [] },
  keys: { name: 'Keys', nouns: ['Key'], plurals: ['Keys'] },
  session: { name: 'Sessions', nouns: ['Session'], plurals: [] },
  usage: { name: 'Usages', nouns: ['Usage'], plurals: [] },
  admin: { name: 'Admin', nouns: [], plurals: [] },
  events: { name: 'Events', nouns: ['Event'], plurals: ['Events'] },
  webhooks: { name: 'Webhooks', nouns: ['Webhook'], plurals: ['Webhooks'] },
};

/** Where the rule gives a name that is hard to guess. */
const exceptions: Record<string, string> = {
  listMovements: 'movements',
  listLedger: 'ledger',
  setStock: 'setMany',
  reverseMovement: 'reverse',
  listPlans: 'plans',
  getUsageAdvice: 'advice',
  getUsageMinutes: 'minutes',
};

/** Operations with a limit of their own beside that of the plan, which does not refuse other calls. */
const capped = new Set(['pingWebhook', 'redeliverEvent']);

/** A new tag is a group of its own name: `sessions` is `Sessions`, whose `createSession` is `create`. */
function groupOf(tag: string): (typeof groups)[string] {
  const name = tag.charAt(0).toUpperCase() + tag.slice(1);
  return groups[tag] ?? { name, nouns: [name.replace(/s$/, '')], plurals: [name] };
}

/** `placeOrder` is `orders.place`, `createPets` is `pets.createMany`, `adminListBans` is `admin.listBans`. */
export function methodName({ id, tag }: Pick<Operation, 'id' | 'tag'>): string {
  const exception = exceptions[id];
  if (exception !== undefined) return exception;
  if (tag === 'admin') return id.charAt(5).toLowerCase() + id.slice(6);
  const { nouns, plurals } = groupOf(tag);
  const plural = plurals.find((noun) => id.includes(noun));
  if (plural) {
    const verb = id.replace(plural, '');
    return verb === 'list' || verb === 'stream' ? verb : `${verb}Many`;
  }
  const noun = nouns.find((each) => id.includes(each));
  return noun ? id.replace(noun, '') : id;
}

export function clientContractText(): string {
  const shapes = new Map<string, string>();
  const byTag = Map.groupBy(operations, ({ tag }) => tag);
  const classes = [...byTag].map(([tag, ofTag]) => classText(groupOf(tag).name, ofTag, shapes));
  const sorted = [...shapes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `// Generated from the operations by \`npm run generate\`. Do not edit.

import type { Call } from './call.ts';
import { streamEvents } from './event-stream.ts';
import { Group } from './group.ts';
import type { DryRunOptions, Preview, RequestOptions, StreamOptions, WriteOptions } from './options.ts';
import type { ListCall } from './page.ts';

/** The query of a read that takes no parameters. */
export type NoQuery = Record<string, never>;

${sorted.join('\n\n')}

${classes.join('\n\n')}
`;
}

function classText(name: string, ofTag: readonly Operation[], shapes: Map<string, string>): string {
  const texts = ofTag.map((operation) => methodText(operation, shapes));
  return `export class ${name} extends Group {\n${texts.join('\n\n')}\n}`;
}

function methodText(operation: Operation, shapes: Map<string, string>): string {
  const { method, path, kind, params = {}, body, isBodyOptional, metering, scope } = operation;
  const queryType = queryShape(operation, shapes);
  const isRead = method === 'GET';
  const names = Object.keys(params);
  const { kind: form } = operation.success;
  const isList = form === 'list' || form === 'feed';
  const result = resultType(operation, shapes);
  const args = [
    ...names.map((name) => `${name}: ${typeOf(params[name]!.schema as Schema, shapes, true)}`),
    ...(body ? [`body${isBodyOptional ? '?' : ''}: ${typeOf(body as Schema, shapes, true)}`] : []),
    ...(isRead ? [`query?: ${queryType ?? 'NoQuery'}`] : []),
  ];
  const options =
    kind === 'write'
      ? writeOptions(operation, queryType)
      : form === 'stream'
        ? 'StreamOptions'
        : 'RequestOptions';
  // In this order the bundle is smallest.
  const fields = [
    `method: '${method}'`,
    ...(isRead ? ['query'] : queryType ? ['query: options?.query'] : []),
    ...(body ? ['body'] : []),
    'options',
    ...(names.length > 0 ? [`params: [${names.join(', ')}]`] : []),
    `path: '${path}'`,
    ...(metering || scope === 'none' ? ['cost: 0'] : []),
    ...(operation.cost ? [`cost: body.${rowsOf(body as Schema)}?.length / 100 || 1`] : []),
    ...(capped.has(operation.id) ? ['isCapped: true'] : []),
  ];
  const request = `{ ${fields.join(', ')} }`;
  const send = isList ? 'list' : 'call';
  const call =
    form === 'stream'
      ? `streamEvents(this.transport, ${request})`
      : `this.transport.${send}(${request})`;
  const type =
    form === 'stream'
      ? `AsyncGenerator<${result}, void, undefined>`
      : isList
        ? `ListCall<${result}>`
        : `Call<${result}>`;
  const name = methodName(operation);
  const signature = `${name}(${[...args, `options?: ${options}`].join(', ')}): ${type}`;
  // No required argument can follow an optional one.
  const before = args.map((arg) => arg.replace(/^(body|query)\?: (.*)$/, '$1: $2 | undefined'));
  const special = specialCase(operation, result);
  const overloads = special
    ? `
  ${name}(${[...before, `options: ${special.options}`].join(', ')}): ${special.type};
  ${signature};`
    : '';
  return `${docText(operation)}${overloads}
  ${signature} {
    return ${call};
  }`;
}

/** The field of a batch that holds its rows. Every 100 rows cost one request. */
function rowsOf({ anyOf = [] }: Schema): string {
  return anyOf[0]!.required![0]!;
}

/** The options with which a call returns something else. */
function specialCase({ method, takesDryRun, success }: Operation, result: string) {
  if (takesDryRun && success.kind === 'created') {
    return { options: 'DryRunOptions & { dryRun: true }', type: `Call<Preview<${result}>>` };
  }
  if (method !== 'GET' || success.kind !== 'record') return undefined;
  const options = 'RequestOptions & { ifNoneMatch: string | undefined }';
  return { options, type: `Call<${result} | undefined>` };
}

/**
 * Reads take their query as an argument, also where they have none yet, and writes take theirs in the options. So a new
 * parameter breaks no call.
 */
function writeOptions({ takesDryRun }: Operation, queryType: string | undefined): string {
  return [
    takesDryRun ? 'DryRunOptions' : 'WriteOptions',
    ...(queryType ? [`{ query?: ${queryType} }`] : []),
  ].join(' & ');
}

function docText({ summary, description, deprecation, stability }: Operation): string {
  const lines = [
    `${summary}.`,
    ...(description ? [description] : []),
    ...(stability ? [`Stability: ${stability}.`] : []),
    ...(deprecation
      ? [`@deprecated Switched off on ${deprecation.sunset}; use ${deprecation.successor}`]
      : []),
  ];
  if (lines.length === 1) return `  /** ${lines[0]} */`;
  return `  /**\n${lines.map((line) => `   * ${line}`).join('\n')}\n   */`;
}

function queryShape(operation: Operation, shapes: Map<string, string>): string | undefined {
  const { id, list } = operation;
  // `dryRun` is one of the options of a write.
  const { dryRun: _, ...own } = operation.query ?? {};
  const query = { ...own, ...(list ? pagingParameters(list, own) : {}) };
  if (Object.keys(query).length === 0) return undefined;
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`;
  const fields = Object.entries(query).map(([field, { schema, repeatable, description }]) => {
    const type = typeOf(schema as Schema, shapes, true);
    return `  /** ${description} */\n  ${field}?: ${repeatable ? `readonly (${type})[]` : type};`;
  });
  shapes.set(name, `export interface ${name} {\n${fields.join('\n')}\n}`);
  return name;
}

function resultType({ success }: Operation, shapes: Map<string, string>): string {
  return success.kind === 'empty' ? 'void' : typeOf(success.schema as Schema, shapes, false);
}

/** Instants may be given as dates; they come back as the strings of the wire. */
function typeOf(schema: Schema, shapes: Map<string, string>, isInput: boolean): string {
  const { title, ...rest } = schema;
  if (title === undefined) {
    const type = plainType(rest, shapes, isInput);
    return schema.nullable ? `${type} | null` : type;
  }
  if (!shapes.has(title)) {
    shapes.set(title, '');
    shapes.set(title, shapeText(title, rest, shapes, isInput));
  }
  return title;
}

function shapeText(name: string, schema: Schema, shapes: Map<string, string>, isInput: boolean) {
  if (schema.type !== 'object' || !schema.properties) {
    return `export type ${name} = ${plainType(schema, shapes, isInput)};`;
  }
  return `export interface ${name} ${objectType(schema, shapes, isInput)}`;
}

function plainType(schema: Schema, shapes: Map<string, string>, isInput: boolean): string {
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts) return parts.map((part) => typeOf(part, shapes, isInput)).join(' | ');
  if (schema.enum) return schema.enum.map((value) => `'${String(value)}'`).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
      return isInput && schema.format === 'date-time' ? 'string | Date' : 'string';
    case 'array': {
      const item = typeOf(schema.items!, shapes, isInput);
      return `${isInput ? 'readonly ' : ''}(${item})[]`;
    }
    case 'object':
      return schema.properties ? objectType(schema, shapes, isInput) : 'Record<string, unknown>';
    default:
      return 'unknown';
  }
}

function objectType(schema: Schema, shapes: Map<string, string>, isInput: boolean): string {
  const fields = Object.entries(schema.properties!).map(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    const doc = field.description ? `  /** ${field.description} */\n` : '';
    return `${doc}  ${name}${optional}: ${typeOf(field, shapes, isInput)};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}
