import type { Operation } from './document.ts';

export type RecordKind = 'category' | 'pet' | 'order' | 'key' | 'workspace';

/** An id that is filled in when the request is sent: the nth record of its kind, of this store or of another. */
export class Slot {
  readonly kind: RecordKind;
  readonly index: number;
  readonly isForeign: boolean;
  constructor(kind: RecordKind, index: number, isForeign = false) {
    this.kind = kind;
    this.index = index;
    this.isForeign = isForeign;
  }
}

export type Credentials = 'own' | 'read-only' | 'none';

export interface Case {
  kind: 'valid' | 'invalid' | 'bytes';
  operation: Operation;
  method: string;
  /** The fault of the request, in a few words. */
  why: string;
  pathValues: Readonly<Record<string, Slot | string>>;
  /** Encoded pairs of name and value. */
  query: readonly (readonly [string, Slot | string])[];
  headers: Readonly<Record<string, string>>;
  body: unknown;
  credentials: Credentials;
  /** The allowed statuses; absent for valid requests and broken bytes. */
  expected?: readonly number[];
  /** Breaks the bytes of the request. */
  mutate?: (bytes: Buffer) => Buffer;
}

const KINDS: Record<string, RecordKind> = {
  petId: 'pet',
  categoryId: 'category',
  orderId: 'order',
  keyId: 'key',
  workspaceId: 'workspace',
};

/** The kind of record that a field or parameter of this name refers to. */
export function kindOf(name: string, operation: Operation): RecordKind | undefined {
  return name === 'id' && operation.id === 'listPets' ? 'pet' : KINDS[name];
}

/** A body that is sent as it is, not as JSON. */
export class RawBody {
  readonly bytes: Buffer;
  constructor(bytes: Buffer | string) {
    this.bytes = Buffer.from(bytes as string);
  }
}

export type Fill = (slot: Slot) => string | number;

export function requestBytes(input: Case, fill: Fill, key: string | undefined): Buffer {
  const filled = (value: Slot | string) => (value instanceof Slot ? String(fill(value)) : value);
  const path = input.operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    filled(input.pathValues[name]!),
  );
  const query = input.query.map(([name, value]) => `${name}=${filled(value)}`).join('&');
  const body = bodyBytes(input.body, fill);
  const headers: Record<string, string> = {
    host: 'petstore.test',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body ? { 'content-type': input.operation.body?.types[0] ?? 'application/json' } : {}),
    ...(body ? { 'content-length': String(body.length) } : {}),
    ...input.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const target = `/v1${path}${query === '' ? '' : `?${query}`}`;
  const head = Buffer.from(`${input.method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return body ? Buffer.concat([head, body]) : head;
}

export function bodyText(body: unknown, fill: Fill): string {
  return JSON.stringify(body, (_, value) => (value instanceof Slot ? fill(value) : value));
}

function bodyBytes(body: unknown, fill: Fill): Buffer | undefined {
  if (body === undefined) return undefined;
  return body instanceof RawBody ? body.bytes : Buffer.from(bodyText(body, fill));
}
