// The OpenAPI document, the only thing that the fuzzer knows of the service.

import { Ajv, type ValidateFunction } from 'ajv';

export interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
  /** Alternatives; the first is the strictest. */
  anyOf?: Schema[];
  /** Conditions beside the properties. */
  oneOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  scope: string;
  parameters: Parameter[];
  body?: { schema: Schema; isRequired: boolean; types: string[] };
  statuses: ReadonlySet<number>;
}

interface DocumentedOperation {
  operationId: string;
  tags: string[];
  'x-scope'?: string;
  security?: readonly object[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }>; $ref?: string }>;
}

interface OpenApi {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}

const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

const ERROR: Schema = { $ref: '#/components/schemas/Error' };

export class Contract {
  readonly operations: Operation[];
  readonly #document: OpenApi;
  readonly #ajv = new Ajv({ strict: false });
  readonly #validators = new WeakMap<Schema, ValidateFunction>();

  constructor(document: unknown) {
    this.#document = document as OpenApi;
    this.#ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
    this.#ajv.addFormat('date-time', DATE_TIME);
    this.#ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
    this.#ajv.addSchema(this.#document, 'contract');
    this.operations = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => !isStream(operation) && !needsSession(operation))
        .map(([method, operation]) => read(path, method, operation)),
    );
  }

  /** The methods of a path. */
  methodsOf(path: string): string[] {
    const methods = Object.keys(this.#document.paths[path]!).map((method) => method.toUpperCase());
    return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  }

  resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : this.resolve(this.#document.components.schemas[name]!);
  }

  isValid(schema: Schema, value: unknown): boolean {
    return this.#validator(schema)(value) as boolean;
  }

  /** The fault of an answer's body, if it has one. */
  bodyFault({ path, method }: Operation, status: number, body: unknown): string | undefined {
    const response = this.#document.paths[path]![method.toLowerCase()]!.responses[status];
    const schema = response?.$ref ? ERROR : response?.content?.['application/json']?.schema;
    if (!schema) return body === undefined ? undefined : `a body where ${status} has none`;
    return this.#fault(schema, body);
  }

  errorFault(body: unknown): string | undefined {
    return this.#fault(ERROR, body);
  }

  #fault(schema: Schema, body: unknown): string | undefined {
    const validator = this.#validator(schema);
    return validator(body) ? undefined : this.#ajv.errorsText(validator.errors);
  }

  #validator(schema: Schema): ValidateFunction {
    let validator = this.#validators.get(schema);
    if (!validator) {
      const located = JSON.stringify(schema).replaceAll('"#/', '"contract#/');
      validator = this.#ajv.compile(JSON.parse(located) as Schema);
      this.#validators.set(schema, validator);
    }
    return validator;
  }
}

/** A stream has no end to wait for, and a file comes in pieces of any length. */
function isStream({ responses }: DocumentedOperation): boolean {
  const types = Object.keys(responses[200]?.content ?? { 'application/json': {} });
  return !types.includes('application/json');
}

/** The requests are sent with keys, and a session is none. */
function needsSession({ security = [] }: DocumentedOperation): boolean {
  return security.some((scheme) => 'session' in scheme);
}

function read(path: string, method: string, operation: DocumentedOperation): Operation {
  const content = Object.entries(operation.requestBody?.content ?? {});
  const [first] = content;
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags[0]!,
    scope: operation['x-scope'] ?? 'none',
    parameters: operation.parameters ?? [],
    statuses: new Set(Object.keys(operation.responses).map(Number)),
    ...(first
      ? {
          body: {
            schema: first[1].schema,
            isRequired: operation.requestBody?.required === true,
            types: content.map(([type]) => type),
          },
        }
      : {}),
  };
}
