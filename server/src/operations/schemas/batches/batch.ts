// The bodies and results of batches. The contract shows the rows whole. What http checks leaves them out, because the
// handler checks them one by one: in mode `each` a malformed row is the fault of that row alone.

import type { TSchema } from 'typebox';
import { type ErrorCode, errorCodes, Refusal } from '../../../domain/errors.ts';
import { choice, object } from '../fields.ts';
import { Type } from '../type.ts';
import { bodyChecker } from '../validator.ts';

type Mode = 'all' | 'each';

interface BatchSpec<F extends string> {
  title: string;
  /** The field that holds the rows. */
  field: F;
  row: TSchema;
  rowName: string;
  rowsMax: number;
  /** Fields of the body beside its rows and its mode, all optional. */
  options?: Readonly<Record<string, TSchema>>;
}

type BatchBody<F extends string> = { [K in F]: unknown[] } & { mode?: Mode };

/** The body of a batch, as the contract shows it. */
export function batchBody<F extends string>(spec: BatchSpec<F>) {
  const { title, row } = spec;
  const anyOf = [variant(spec, row, 'all'), variant(spec, {}, 'each')];
  return Type.Unsafe<BatchBody<F>>({ title, anyOf });
}

/** The body of a batch without its rows. */
export function batchFrame<F extends string>({ field, rowsMax, options }: BatchSpec<F>) {
  const rows = Type.Array(Type.Unknown(), { minItems: 1, maxItems: rowsMax });
  const mode = Type.Optional(choice(['all', 'each'] as const, 'What a refused row does.'));
  const others = Object.entries(options ?? {}).map(([name, schema]) => [
    name,
    Type.Optional(schema),
  ]);
  const properties = { [field]: rows, mode, ...Object.fromEntries(others) };
  return Type.Object(properties, { additionalProperties: false });
}

function variant<F extends string>(spec: BatchSpec<F>, items: object, mode: Mode): object {
  const { field, rowName, rowsMax, options } = spec;
  const isDefault = mode === 'all';
  const description = isDefault
    ? 'The default: one refused row refuses the batch.'
    : `A row that is not a valid ${rowName}, or is refused, is skipped, and its result says why.`;
  return {
    type: 'object',
    required: isDefault ? [field] : [field, 'mode'],
    properties: {
      [field]: { type: 'array', minItems: 1, maxItems: rowsMax, items },
      mode: { type: 'string', enum: [mode], description },
      ...options,
    },
    additionalProperties: false,
  };
}

/** Every 100 rows cost one request of the quota. */
export function batchCost(rows: readonly unknown[]): number {
  return Math.ceil(rows.length / 100);
}

/** Why a row was refused: what an Error says, without what belongs to the whole response. */
export const BatchError = object('BatchError', {
  code: Type.Unsafe<ErrorCode>({
    type: 'string',
    'x-extensible-enum': errorCodes,
    description: 'The code of the error, as the request for this row alone would get it.',
  }),
  message: Type.String({ description: 'Human-readable description.' }),
  details: Type.Optional(
    Type.Unsafe<unknown>({ description: 'The invalid fields, or the facts of the conflict.' }),
  ),
});

/** A check of rows that returns the refusal of a malformed row in place of throwing it. */
export function rowChecker(schema: TSchema): (row: unknown) => unknown {
  const check = bodyChecker(schema, false);
  return (row) => {
    try {
      return check(row);
    } catch (err) {
      if (err instanceof Refusal) return err;
      throw err;
    }
  };
}
