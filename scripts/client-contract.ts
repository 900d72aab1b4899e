// Writes client/src/contract.ts from the operations: the shapes of the API as types, and one class per group with
// one method per operation. The names of the methods are part of the text, so a rename shows in review.

import type { Operation } from '../server/src/operations/operation.ts';
import { operations } from '../server/src/operations/operations.ts';
import { pagingParameters } from '../server/src/operations/parameters.ts';
import { type Schema, typeOf } from './client-types.ts';

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
  exportAudit: 'export',
  listMovements: 'movements',
  listLedger: 'ledger',
  setStock: 'setMany',
  reverseMovement: 'reverse',
  listPlans: 'plans',
  getUsageAdvice: 'advice',
  getUsageMinutes: 'minutes',
};

/** A dry run creates nothing, so its rows have no record. */
const previews: Record<string, string> = {
  BatchResult: 'Preview<BatchResult, { errors?: RowError[] }>',
  OrderBatchResult: 'Preview<OrderBatchResult, { error?: BatchError }>',
  StockBatchResult:
    "Preview<StockBatchResult, { movement?: Omit<Movement, 'id' | 'at'>; error?: BatchError }>",
};

/** The field that only the response to a creation or a rotation has. */
const secrets: Record<string, string> = { Key: 'key', Webhook: 'secret' };
const secretOperations = new Set([
  'createKey',
  'rotateKey',
  'createWebhook',
  'rotateWebhookSecret',
]);

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
  // A dry run alone has it.
  shapes.delete('BatchMovement');
  const deliveries = operations.flatMap(({ callbacks = {} }) => Object.values(callbacks));
  const delivery = deliveries.map(({ body }) => typeOf(body as Schema, shapes, false)).join(' | ');
  shapes.set(
    'WebhookDelivery',
    `/** What a webhook receives: an event, a batch of events, or a ping. */
export type WebhookDelivery = ${delivery};`,
  );
  shapes.set(
    'WithSecret',
    `/**
 * A record with its secret, which only the response to a creation or a rotation has. A stored response (\`isReplay\`) lacks
 * it: the first one was lost. Rotate it for a new one.
 */
export type WithSecret<T, Field extends keyof T> = T & { [F in Field]-?: NonNullable<T[F]> };`,
  );
  const sorted = [...shapes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `// Generated from the operations by \`npm run generate\`. Do not edit.

import type { Call } from './call.ts';
import type { DetailsOf, ErrorCode } from './error-codes.ts';
import { streamEvents } from './event-stream.ts';
import { Group } from './group.ts';
import type { DryRunOptions, RequestOptions, StreamOptions, WriteOptions } from './options.ts';
import type { ListCall } from './page.ts';

/** What a dry run returns: a record without its id, or a batch with other rows. */
export type Preview<T, Row = never> = [Row] extends [never]
  ? Omit<T, 'id'>
  : Omit<T, 'results'> & { results: Row[] };

/** The ids of the operations that read. */
export type ReadOperation = ${idsText('read')};

/** The ids of the operations that write. */
export type WriteOperation = ${idsText('write')};

${sorted.join('\n\n')}

${classes.join('\n\n')}
`;
}

function idsText(kind: 'read' | 'write'): string {
  const ids = operations.filter(({ method }) => (method === 'GET') === (kind === 'read'));
  return ids.map(({ id }) => `'${id}'`).join(' | ');
}

function classText(name: string, ofTag: readonly Operation[], shapes: Map<string, string>): string {
  const texts = ofTag.map((operation) => methodText(operation, shapes));
  return `export class ${name} extends Group {\n${texts.join('\n\n')}\n}`;
}

/**
 * A deprecated read of one record whose successor is a list by id. The method sends the successor, so it is not deprecated
 * itself.
 */
function successorMethod(operation: Operation, shapes: Map<string, string>): string | undefined {
  const { params = {}, summary } = operation;
  const { path, name } = listByIdOf(operation) ?? {};
  if (!name) return undefined;
  const type = typeOf(params[name]!.schema as Schema, shapes, true);
  const result = resultType(operation, shapes);
  return `  /** ${summary}. */
  ${methodName(operation)}(${name}: ${type}, options?: Omit<RequestOptions, 'ifNoneMatch'>): Call<${result}> {
    return this.transport.one({ method: 'GET', query: { id: [${name}] }, options, path: '${path}' }, \`No ${result.toLowerCase()} \${${name}} in this workspace.\`);
  }`;
}

/** The list that is the successor of a read of one record, and the parameter that is its id. */
export function listByIdOf({ deprecation }: Operation): { path: string; name: string } | undefined {
  const [, path, name] = /^GET (\/\w+)\?id=\{(\w+)\}$/.exec(deprecation?.successor ?? '') ?? [];
  return path && name ? { path, name } : undefined;
}

function methodText(operation: Operation, shapes: Map<string, string>): string {
  const successor = successorMethod(operation, shapes);
  if (successor) return successor;
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
    ...(isRead && queryType ? [`query?: ${queryType}`] : []),
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
    ...(queryType ? [isRead ? 'query' : 'query: options?.query'] : []),
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
      : form === 'download'
        ? `this.transport.download(${request})`
        : `this.transport.${send}(${request})`;
  const type =
    form === 'stream'
      ? `AsyncGenerator<${result}, void, undefined>`
      : form === 'download'
        ? 'Promise<Response>'
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
  // The overloads say what the call returns.
  const implementation = special ? signature.replace(/: Call<.*$/, ': Call<never>') : signature;
  return `${docText(operation)}${overloads}
  ${implementation} {
    return ${call};
  }`;
}

/** The field of a batch that holds its rows. Every 100 rows cost one request. */
function rowsOf({ anyOf = [] }: Schema): string {
  return anyOf[0]!.required![0]!;
}

/** The options with which a call returns something else. */
function specialCase({ method, takesDryRun, success }: Operation, result: string) {
  const isNew = success.kind === 'created' || success.kind === 'put';
  const preview = isNew ? `Preview<${result}>` : previews[result];
  if (takesDryRun && preview) {
    return { options: 'DryRunOptions & { dryRun: true }', type: `Call<${preview}>` };
  }
  if (method !== 'GET' || success.kind !== 'record') return undefined;
  const options = 'RequestOptions & { ifNoneMatch: string | undefined }';
  return { options, type: `Call<${result} | undefined>` };
}

/** Writes take their query in the options. */
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
    const given = repeatable ? `readonly (${type})[]` : type;
    // As in options: what is undefined is not sent.
    return `  /** ${description} */\n  ${field}?: ${given} | undefined;`;
  });
  shapes.set(name, `export interface ${name} {\n${fields.join('\n')}\n}`);
  return name;
}

function resultType({ id, success }: Operation, shapes: Map<string, string>): string {
  if (!('schema' in success)) return 'void';
  const type = typeOf(success.schema as Schema, shapes, false);
  return secretOperations.has(id) ? `WithSecret<${type}, '${secrets[type]}'>` : type;
}
