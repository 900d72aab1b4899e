import {
  METADATA_KEY,
  METADATA_PAIRS_MAX,
  METADATA_VALUE_MAX,
  type Metadata as Pairs,
  type MetadataPatch as PairsPatch,
} from '../../domain/metadata.ts';
import { NO_CONTROL } from './fields.ts';
import { Type } from './type.ts';

const KEY_RULE = 'Keys have 1 to 40 letters, digits, `_`, `.` or `-`.';
const value = { type: 'string', maxLength: METADATA_VALUE_MAX, pattern: NO_CONTROL };
const object = { type: 'object', 'x-keys': METADATA_KEY.source };

/** Pairs of a new record, or as a record has them. */
export const Metadata = Type.Unsafe<Pairs>({
  title: 'Metadata',
  ...object,
  maxProperties: METADATA_PAIRS_MAX,
  additionalProperties: value,
  description: `Pairs of your own, which the service stores and does not read. ${KEY_RULE}`,
  example: { shelf: 'B-12' },
});

/** A patch may remove as many pairs as it adds. */
export const MetadataPatch = Type.Unsafe<PairsPatch>({
  ...object,
  nullable: true,
  maxProperties: 2 * METADATA_PAIRS_MAX,
  additionalProperties: { ...value, nullable: true },
  description: `Pairs to set; null removes a pair, and \`metadata: null\` all. Others stay. ${KEY_RULE}`,
});

/** What `before` of an event has. */
export const EarlierMetadata = Type.Unsafe<Pairs | null>({
  type: 'object',
  nullable: true,
  additionalProperties: value,
  description: 'Its metadata.',
});
