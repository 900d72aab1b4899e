import { API_PREFIX } from '../contract/version.ts';
import { invalidField } from '../domain/errors.ts';
import type { Operation } from '../operations/operation.ts';
import type { Param } from '../operations/parameters.ts';
import { bodyFieldsOf, queryOf } from './tool-schemas.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The request that a call of a tool stands for. */
export interface RequestParts {
  url: string;
  params: Record<string, string>;
  body: Record<string, unknown> | undefined;
  idempotencyKey: string | undefined;
}

/**
 * Splits the arguments into path, query and body. Other orders of the arguments make the same bytes, which an idempotency
 * key is bound to; other orders of the keys inside an argument do not. An unknown argument goes into the body, where
 * validation refuses it. An operation without a body refuses it here.
 */
export function requestPartsOf(operation: Operation, given: Arguments): RequestParts {
  const { params: pathParams = {}, kind } = operation;
  const { idempotencyKey, ...rest } = given;
  const left = new Map(Object.entries(rest));
  const take = (name: string) => {
    const value = left.get(name);
    left.delete(name);
    return value;
  };
  const params: Record<string, string> = {};
  for (const [name, param] of Object.entries(pathParams)) {
    const value = take(name);
    if (value === undefined) throw invalidField(name, 'is required');
    params[name] = textOf(value, name, param);
  }
  const query = queryTextOf(operation, take);
  const body: Record<string, unknown> = {};
  for (const name of [...Object.keys(bodyFieldsOf(operation).properties), ...left.keys()]) {
    if (left.has(name) && operation.body) body[name] = take(name);
  }
  for (const name of left.keys()) throw invalidField(name, 'is not an argument of this tool');
  if (idempotencyKey !== undefined && (kind === 'read' || typeof idempotencyKey !== 'string')) {
    const fault = kind === 'read' ? 'is not an argument of this tool' : 'must be a string';
    throw invalidField('idempotencyKey', fault);
  }
  return {
    url: `${API_PREFIX}${filledPath(operation.path, params)}${query}`,
    params,
    body: operation.body ? body : undefined,
    idempotencyKey: idempotencyKey as string | undefined,
  };
}

function filledPath(template: string, params: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
}

function queryTextOf(operation: Operation, take: (name: string) => unknown): string {
  const pairs = Object.entries(queryOf(operation)).flatMap(([name, param]) => {
    const value = take(name);
    if (value === undefined) return [];
    if (Array.isArray(value) && value.length === 0) throw invalidField(name, 'must not be empty');
    const values = param.repeatable !== undefined && Array.isArray(value) ? value : [value];
    return values.map((one) => `${name}=${encodeURIComponent(textOf(one, name, param))}`);
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** As the value stands in a URL. Its type must be the declared one; all else is checked where the URL is read. */
function textOf(value: unknown, name: string, { schema }: Param<unknown>): string {
  const { type } = schema as { type: string };
  const expected = type === 'integer' ? 'number' : type;
  if (typeof value !== expected) throw invalidField(name, `must be ${articles[type] ?? type}`);
  return String(value);
}

const articles: Record<string, string> = {
  integer: 'an integer',
  string: 'a string',
  boolean: 'true or false',
};
