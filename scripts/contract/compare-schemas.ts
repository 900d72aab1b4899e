// Compares two schemas keyword by keyword. What clients send must still be accepted, and what they receive must still be
// what they expect. A difference in a keyword that has no rule here is breaking: none is overlooked.

import { isDeepStrictEqual } from 'node:util';
import { type Contract, type Direction, resolve, type Schema } from './document.ts';

/** Says nothing about values. The language of two patterns cannot be compared, so patterns are left to reviews. */
const ANNOTATION =
  /^(description|title|example|examples|externalDocs|deprecated|discriminator|pattern|x-.*)$/;
const LOWER_BOUND = /^min(imum|Length|Items|Properties)$/;
const UPPER_BOUND = /^max(imum|Length|Items|Properties)$/;
// docs/events.md asks clients to ignore events of unknown types. The name of a type has a dot.
const EVENT_TYPE = /^[a-z]+\.[a-z]+$/;
const EVENT_SCHEMA = /Event$/;

export interface SchemaPair {
  before: Schema;
  after: Schema;
  direction: Direction;
  /** Names the pair in reports. */
  place: string;
}

type Rule = (pair: SchemaPair, keyword: string) => void;

export class SchemaComparison {
  readonly #before: Contract;
  readonly #after: Contract;
  readonly #report: (line: string) => void;
  /** Pairs of references that were compared: schemas may contain themselves. */
  readonly #compared = new Set<string>();

  constructor(before: Contract, after: Contract, report: (line: string) => void) {
    this.#before = before;
    this.#after = after;
    this.#report = report;
  }

  compare({ before, after, direction, place }: SchemaPair): void {
    if (before.$ref !== undefined && after.$ref !== undefined) {
      const refs = `${direction} ${before.$ref} ${after.$ref}`;
      if (this.#compared.has(refs)) return;
      this.#compared.add(refs);
    }
    const pair = {
      before: resolve(this.#before, before),
      after: resolve(this.#after, after),
      direction,
      place,
    };
    const keywords = new Set([...Object.keys(pair.before), ...Object.keys(pair.after)]);
    for (const keyword of keywords) {
      if (!ANNOTATION.test(keyword)) this.#ruleOf(keyword)(pair, keyword);
    }
  }

  #ruleOf(keyword: string): Rule {
    if (LOWER_BOUND.test(keyword)) return this.#lowerBound;
    if (UPPER_BOUND.test(keyword)) return this.#upperBound;
    return this.#rules[keyword] ?? this.#equal;
  }

  readonly #equal: Rule = ({ before, after, place }, keyword) => {
    if (isDeepStrictEqual(before[keyword], after[keyword])) return;
    const [was, is] = [before[keyword], after[keyword]].map((value) => JSON.stringify(value));
    this.#report(`${place}: ${keyword} was ${was}, is ${is}`);
  };

  readonly #lowerBound: Rule = (pair, keyword) => {
    const { before, after, direction } = pair;
    const was = (before[keyword] as number | undefined) ?? Number.NEGATIVE_INFINITY;
    const is = (after[keyword] as number | undefined) ?? Number.NEGATIVE_INFINITY;
    if (direction === 'request' ? is > was : is < was) this.#equal(pair, keyword);
  };

  readonly #upperBound: Rule = (pair, keyword) => {
    const { before, after, direction } = pair;
    const was = (before[keyword] as number | undefined) ?? Number.POSITIVE_INFINITY;
    const is = (after[keyword] as number | undefined) ?? Number.POSITIVE_INFINITY;
    if (direction === 'request' ? is < was : is > was) this.#equal(pair, keyword);
  };

  readonly #required: Rule = ({ before, after, direction, place }) => {
    const [was, is] = [new Set(before.required), new Set(after.required)];
    const names =
      direction === 'request' ? [...is.difference(was)] : [...was.difference(is)].filter(isLeft);
    for (const name of names) {
      this.#report(
        `${place}.${name}: ${direction === 'request' ? 'required now' : 'optional now'}`,
      );
    }
    function isLeft(name: string): boolean {
      return after.properties?.[name] !== undefined;
    }
  };

  readonly #properties: Rule = ({ before, after, direction, place }) => {
    for (const [name, property] of Object.entries(before.properties ?? {})) {
      const found = after.properties?.[name];
      if (!found) this.#report(`${place}.${name}: removed`);
      else this.compare({ before: property, after: found, direction, place: `${place}.${name}` });
    }
  };

  readonly #items: Rule = (pair, keyword) => {
    const { before, after, direction, place } = pair;
    if (!before.items || !after.items) this.#equal(pair, keyword);
    else this.compare({ before: before.items, after: after.items, direction, place: `${place}[]` });
  };

  readonly #enum: Rule = (pair, keyword) => {
    const { before, after, direction, place } = pair;
    const isRequest = direction === 'request';
    // The contract says that later versions may add values.
    if (!isRequest && after['x-extensible'] === true) return;
    const [subset, superset] = isRequest ? [before.enum, after.enum] : [after.enum, before.enum];
    if (!superset) return;
    if (!subset) return this.#equal(pair, keyword);
    for (const value of new Set(subset).difference(new Set(superset))) {
      if (!isRequest && typeof value === 'string' && EVENT_TYPE.test(value)) continue;
      this.#report(`${place}: the value ${JSON.stringify(value)} is ${isRequest ? 'gone' : 'new'}`);
    }
  };

  readonly #nullable: Rule = ({ before, after, direction, place }) => {
    const [was, is] = [before.nullable === true, after.nullable === true];
    if (direction === 'request' && was && !is) this.#report(`${place}: null is refused now`);
    if (direction === 'response' && is && !was) this.#report(`${place}: can be null now`);
  };

  /** Clients ignore fields that they do not know, so only a request can become too strict. */
  readonly #additionalProperties: Rule = ({ before, after, direction, place }) => {
    const [was, is] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
    if (typeof was === 'object' && typeof is === 'object') {
      this.compare({ before: was, after: is, direction, place: `${place}.*` });
    } else if (direction === 'request' && is !== true && was !== false) {
      this.#report(`${place}: other fields are refused now`);
    } else if (direction === 'response' && typeof was === 'object') {
      this.#report(`${place}.*: removed`);
    }
  };

  /** A default that was not documented before may be documented. A response has none to rely on. */
  readonly #default: Rule = (pair, keyword) => {
    const isNew = pair.direction === 'request' && pair.before.default === undefined;
    if (!isNew) this.#equal(pair, keyword);
  };

  readonly #alternatives: Rule = (pair, keyword) => {
    const { direction, place } = pair;
    const was = pair.before[keyword] as readonly Schema[] | undefined;
    const is = pair.after[keyword] as readonly Schema[] | undefined;
    if (!was || !is) return this.#equal(pair, keyword);
    const { pairs, gone, added } = matched(was, is);
    for (const [before, after] of pairs) this.compare({ before, after, direction, place });
    const breaking =
      direction === 'request' ? gone : added.filter(({ $ref = '' }) => !EVENT_SCHEMA.test($ref));
    for (const schema of breaking) {
      const name = schema.$ref ?? JSON.stringify(schema);
      this.#report(`${place}: ${keyword} ${direction === 'request' ? 'lost' : 'gained'} ${name}`);
    }
  };

  readonly #rules: Readonly<Record<string, Rule>> = {
    required: this.#required,
    properties: this.#properties,
    items: this.#items,
    enum: this.#enum,
    nullable: this.#nullable,
    default: this.#default,
    additionalProperties: this.#additionalProperties,
    oneOf: this.#alternatives,
    anyOf: this.#alternatives,
  };
}

/** Pairs equal alternatives, then the others that are not references, in their order. */
function matched(was: readonly Schema[], is: readonly Schema[]) {
  const pairs: [Schema, Schema][] = [];
  let added = [...is];
  const gone = was.filter((schema) => {
    const twin = added.find((other) => isDeepStrictEqual(schema, other));
    if (!twin) return true;
    pairs.push([schema, twin]);
    added = added.filter((other) => other !== twin);
    return false;
  });
  const inline = (schema: Schema) => schema.$ref === undefined;
  const changed = Math.min(gone.filter(inline).length, added.filter(inline).length);
  for (let index = 0; index < changed; index += 1) {
    pairs.push([take(gone, inline), take(added, inline)]);
  }
  return { pairs, gone, added };
}

function take(schemas: Schema[], isWanted: (schema: Schema) => boolean): Schema {
  return schemas.splice(schemas.findIndex(isWanted), 1)[0]!;
}
