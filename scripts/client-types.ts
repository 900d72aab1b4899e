// The schemas of the contract as TypeScript: a schema with a title is a named shape.

export interface Schema {
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
  'x-extensible-enum'?: readonly string[];
}

/** Shapes whose name a platform has already. */
const renamed: Record<string, string> = { Event: 'PetstoreEvent', Node: 'ServiceNode' };

/** Fields that every response has, although the specification marks none of them required. */
const alwaysPresent: Record<string, readonly string[]> = {
  Order: ['id', 'petId', 'quantity', 'complete', 'state'],
};

/** Rows of a result: which field one has depends on what happened to it. */
const rows: Record<string, string> = {
  RowResult: union('RowResult', ['pet: Pet; updated?: true', 'errors: RowError[]']),
  OrderBatchRow: union('OrderBatchRow', ['order: Order', 'error: BatchError']),
  // Neither if the count did not change.
  StockBatchRow: union('StockBatchRow', ['movement: Movement', 'error: BatchError'], true),
  WorkspaceWithKey: `export interface WorkspaceWithKey {
  workspace: Workspace;
  key: WithSecret<Key, 'key'>;
}`,
  BatchError: `/** Why a row was refused. \`code\` tells what \`details\` holds. */
export type BatchError = {
  [C in ErrorCode]: { code: C; message: string; details: DetailsOf<C> };
}[ErrorCode];`,
};

/** One of the fields, and none of the others. */
function union(name: string, fields: readonly string[], orNone = false): string {
  const absent = (others: readonly string[]) =>
    others.map((other) => `${other.split(':')[0]}?: undefined`);
  const alternatives = fields.map((field) => {
    return `{ ${[field, ...absent(fields.filter((other) => other !== field))].join('; ')} }`;
  });
  if (orNone) alternatives.push(`{ ${absent(fields).join('; ')} }`);
  return `export type ${name} = ${alternatives.join(' | ')};`;
}

/** Instants may be given as dates; they come back as the strings of the wire. */
export function typeOf(schema: Schema, shapes: Map<string, string>, isInput: boolean): string {
  const { title: given, ...rest } = schema;
  const title = given === undefined ? undefined : (renamed[given] ?? given);
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
  const row = rows[name];
  if (row !== undefined) {
    // The shapes that the row is made of.
    plainType(schema, shapes, isInput);
    return row;
  }
  if (schema.type !== 'object' || !schema.properties) {
    return `export type ${name} = ${plainType(schema, shapes, isInput)};`;
  }
  const required = alwaysPresent[name] ?? schema.required ?? [];
  return `export interface ${name} ${objectType({ ...schema, required }, shapes, isInput)}`;
}

function plainType(schema: Schema, shapes: Map<string, string>, isInput: boolean): string {
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts?.some(({ properties }) => properties?.mode)) return batchType(parts, shapes);
  if (parts) return parts.map((part) => typeOf(part, shapes, isInput)).join(' | ');
  // Null is one of the values where the field is nullable, which is said beside it.
  const values = schema.enum?.filter((value) => value !== null);
  if (values) return enumType(values.map(String), shapes);
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
      return schema.properties ? objectType(schema, shapes, isInput) : recordType(schema, shapes);
    default:
      return 'unknown';
  }
}

/** An object whose fields clients name. */
function recordType({ additionalProperties: values }: Schema, shapes: Map<string, string>): string {
  const type = typeof values === 'object' ? typeOf(values, shapes, false) : 'unknown';
  return `Record<string, ${type}>`;
}

/** Long enums have a name: the types of events, and the actions of the audit log. */
function enumType(values: readonly string[], shapes: Map<string, string>): string {
  const type = values.map((value) => `'${value}'`).join(' | ');
  if (values.length < 20) return type;
  const others = values.includes('*') ? 'EventFilter' : 'EventType';
  const name = values.includes('command.run') ? 'AuditAction' : others;
  shapes.set(name, `export type ${name} = ${type};`);
  return name;
}

/** The body of a batch. What a row of mode `each` may be is for programs that pass on what others wrote. */
function batchType([all, each]: readonly Schema[], shapes: Map<string, string>): string {
  const { mode: _, ...rest } = all!.properties!;
  const doc = [all!, each!].map(
    ({ properties }) => `\`${properties!.mode!.enum![0]}\`: ${properties!.mode!.description}`,
  );
  const description = doc.join(' ').replace(': The default', ', the default');
  const modes = { type: 'string', enum: ['all', 'each'], description };
  return objectType({ ...all!, properties: { ...rest, mode: modes } }, shapes, true);
}

function objectType(schema: Schema, shapes: Map<string, string>, isInput: boolean): string {
  const fields = Object.entries(schema.properties!).map(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    const doc = field.description ? `  /** ${field.description} */\n` : '';
    return `${doc}  ${name}${optional}: ${typeOf(field, shapes, isInput)};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}
