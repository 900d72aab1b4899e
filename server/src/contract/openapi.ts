// The OpenAPI 3.0.3 document, from the operations and nothing else. A schema with a title becomes a
// component; error responses come from the error table.

import type { Tag } from '../operations/contract.ts';
import type { Operation } from '../operations/operation.ts';
import { type Param, pagingParameters } from '../operations/parameters.ts';
import { ErrorSchema } from '../operations/schemas/error.ts';
import { callbacksOf, webhooksOf } from './callbacks.ts';
import { type CodeSample, codeSamples } from './code-samples.ts';
import { type Components, type Json, referTo } from './components.ts';
import { introductionMarkdown } from './introduction.ts';
import { headers, responsesOf } from './responses.ts';
import { API_PREFIX, API_VERSION } from './version.ts';

/** The cookie that carries a session, over plain http and over https. */
export const SESSION_COOKIE = 'petstore_session';
export const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;

const groups: Record<string, { description: string; tags: Partial<Record<Tag, string>> }> = {
  Pets: {
    description: 'What the store keeps.',
    tags: { animals: 'Animals, each of a category.', categories: 'Kinds of animal.' },
  },
  Store: {
    description: 'What the store sells.',
    tags: { inventory: 'Stock per pet, and its ledger.', orders: 'Orders, which reserve stock.' },
  },
  Account: {
    description: 'Who may do what, and how often.',
    tags: {
      workspace: 'One store: its plan and its limits.',
      keys: 'API keys and their scopes.',
      session: 'What a browser holds in place of a key.',
      usage: 'Requests used, and the plan that fits.',
      audit: 'Who changed what, and when.',
      requests: 'What became of a request: those that wrote or were refused.',
      admin: 'The whole service, for its operator.',
    },
  },
  Events: {
    description: 'What happens in the store, as it happens.',
    tags: {
      events: 'One ordered feed of everything that changes.',
      webhooks: 'Receivers that the feed is delivered to, signed and in order.',
    },
  },
};

type CodeSamples = Readonly<Record<string, readonly CodeSample[]>>;

export function openApiDocument(
  operations: readonly Operation[],
  samples: CodeSamples = codeSamples,
): Json {
  const components: Components = { schemas: {}, responses: {} };
  const paths: Record<string, Json> = {};
  referTo(ErrorSchema, components);
  for (const operation of operations) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = {
      ...operationObject(operation, components),
      ...samplesOf(samples[operation.id]),
    };
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Pet Store',
      version: API_VERSION,
      description: introductionMarkdown(),
      contact: { name: 'The operator of this service' },
      license: { name: 'Proprietary' },
    },
    servers: [{ url: API_PREFIX, description: 'This service.' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: tagObjects(),
    'x-tagGroups': Object.entries(groups).map(([name, group]) => ({
      name,
      tags: Object.keys(group.tags),
    })),
    paths,
    ...webhooksOf(operations, components),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: '`Authorization: Bearer <API_KEY>`',
        },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: `Set by \`createSession\` and accepted from pages of this origin alone; over https its name is \`${SECURE_SESSION_COOKIE}\`.`,
        },
      },
      headers,
      responses: sortedByName(components.responses),
      schemas: sortedByName(components.schemas),
    },
  };
}

function operationObject(operation: Operation, components: Components): Json {
  const { deprecation, stability, body } = operation;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: descriptionOf(operation),
    ...securityOf(operation),
    ...(operation.scope === 'none' ? {} : { 'x-scope': operation.scope }),
    ...(stability ? { 'x-stability': stability } : {}),
    ...(operation.events ? { 'x-events': operation.events } : {}),
    'x-badges': badgesOf(operation),
    ...(deprecation
      ? {
          deprecated: true,
          'x-deprecated-sunset': deprecation.sunset,
          'x-sunset': deprecation.sunset,
          'x-successor': deprecation.successor,
        }
      : {}),
    parameters: parametersOf(operation),
    ...(body ? { requestBody: requestBody(operation, components) } : {}),
    responses: responsesOf(operation, components),
    ...callbacksOf(operation, components),
  };
}

function samplesOf(samples: readonly CodeSample[] = []): Json {
  return samples.length > 0 ? { 'x-codeSamples': samples } : {};
}

/** Where an operation differs from the others. */
function securityOf({ scope, session }: Operation): Json {
  if (session && session !== 'opens') return { security: [{ session: [] }] };
  return scope === 'none' ? { security: [{}, { bearer: [] }, { apiKey: [] }] } : {};
}

/** Shown beside the title of the operation by renderers that know the extension. */
function badgesOf({ scope, stability }: Operation): Json[] {
  const name = scope === 'none' ? 'no key needed' : scope === 'any' ? 'any key' : `scope: ${scope}`;
  return [{ name }, ...(stability ? [{ name: stability, color: '#d9622b' }] : [])];
}

function descriptionOf({ description, summary, deprecation, events = [] }: Operation): string {
  const emits =
    events.length > 0 ? ` Events: ${events.map((type) => `\`${type}\``).join(', ')}.` : '';
  const text = `${description ?? `${summary}.`}${emits}`;
  if (!deprecation) return text;
  const { since, sunset, successor } = deprecation;
  return `${text} Deprecated since ${since}, switched off on ${sunset}: use \`${successor}\`.`;
}

function parametersOf(operation: Operation): Json[] {
  const paging = operation.list ? pagingParameters(operation.list, operation.query ?? {}) : {};
  const query = { ...operation.query, ...paging };
  return [
    ...Object.entries(operation.params ?? {}).map(([name, param]) =>
      parameter('path', name, param),
    ),
    ...Object.entries(query).map(([name, param]) => parameter('query', name, param)),
    ...(operation.kind !== 'read'
      ? [
          headerParameter('Idempotency-Key', 'Makes the request safe to repeat for 24 hours.', {
            minLength: 1,
            maxLength: 255,
            pattern: '^[!-~]+$',
          }),
        ]
      : []),
    ...Object.entries(operation.requestHeaders ?? {}).map(([name, description]) =>
      headerParameter(titleCase(name), description),
    ),
    ...(operation.isConditional
      ? [
          headerParameter('If-Match', 'Refuses the change when the record has another ETag.'),
          headerParameter(
            'If-None-Match',
            'Refuses the change when the record has this ETag or, with `*`, when there is a record.',
          ),
        ]
      : []),
    ...(operation.success.kind === 'record' && operation.kind === 'read'
      ? [headerParameter('If-None-Match', 'Answers 304 when the record still has this ETag.')]
      : []),
  ];
}

function parameter(place: 'path' | 'query', name: string, param: Param<unknown>): Json {
  const { description, schema, example, repeatable } = param;
  const shape = repeatable ? { type: 'array', maxItems: repeatable, items: schema } : schema;
  return {
    name,
    in: place,
    required: place === 'path',
    description,
    schema: shape,
    ...(example === undefined ? {} : { example }),
    ...(repeatable ? { style: 'form', explode: true } : {}),
  };
}

function headerParameter(name: string, description: string, limits: Json = {}): Json {
  return {
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...limits },
  };
}

function requestBody(operation: Operation, components: Components): Json {
  const schema = referTo(withIgnoredId(operation.body as unknown as Json), components);
  const media = { schema, example: operation.requestExample };
  const content: Json = { 'application/json': media };
  if (operation.method === 'PATCH') content['application/merge-patch+json'] = media;
  return { required: operation.isBodyOptional !== true, content };
}

/** `last-event-id` becomes Last-Event-Id. */
function titleCase(name: string): string {
  return name.replaceAll(/(^|-)\w/g, (letter) => letter.toUpperCase());
}

/** The service assigns ids and ignores one in a body, also in the rows of a batch. */
function withIgnoredId(schema: Json): Json {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: schema.anyOf.map(withIgnoredId) };
  const fields = Object.entries(schema.properties as Record<string, Json>).map(([name, field]) => {
    const items = field.items as Json | undefined;
    const isRow = items?.properties ?? items?.anyOf;
    return [name, isRow ? { ...field, items: withIgnoredId(items!) } : field];
  });
  const id = { description: 'Ignored: the service assigns ids.' };
  return { ...schema, properties: { id, ...Object.fromEntries(fields) } };
}

function tagObjects(): Json[] {
  return Object.entries(groups).flatMap(([name, { description, tags }]) => [
    { name, description },
    ...Object.entries(tags).map(([tag, text]) => ({
      name: tag,
      description: text,
      'x-parent': name,
    })),
  ]);
}

function sortedByName(parts: Json): Json {
  return Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function openApi31(document: Json): Json {
  const { 'x-webhooks': webhooks = {}, ...rest } = document;
  return { ...(withNullTypes(rest) as Json), openapi: '3.1.0', webhooks: withNullTypes(webhooks) };
}

/** `nullable` becomes null among the types. */
function withNullTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNullTypes);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, withNullTypes(part)]);
  const { nullable, ...schema } = Object.fromEntries(entries) as Json;
  if (nullable !== true) return Object.fromEntries(entries);
  return typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
