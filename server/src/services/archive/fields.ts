// How the columns of a table are written into the lines of an archive, in the shapes of the API, and read from them again.

import type { Value } from '../../datastore/runner.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/durations.ts';
import { formatInstant, parseInstant } from '../../lib/instant.ts';
import { BrokenArchive } from '../../lib/tar.ts';

/** Where the records of an archive go: a workspace of its own, in which they get other ids. */
export interface Target {
  workspaceId: number;
  now: number;
  id(table: string, id: number): number;
  keyId(id: string): string;
  /** The number of the next event. */
  nextSequence(): number;
  /** A secret for a webhook, sealed. It was never shown: the owner rotates it. */
  newSecret(): { sealed: string; hint: string };
}

export interface Field {
  /** The column, where its name does not follow from that of the field. */
  column?: string;
  isOptional?: true;
  /** The column is not NULL. */
  write(value: Value): unknown;
  /** Throws BrokenArchive for what `write` does not write. */
  read(value: unknown, target: Target): Value;
}

export const text: Field = { write: (value) => value, read: textIn };

export const whole: Field = { write: (value) => value, read: wholeIn };

export const instant: Field = {
  write: (value) => formatInstant(value as number),
  read: instantIn,
};

export const flag: Field = {
  write: (value) => value === 1,
  read: (value) => {
    if (typeof value !== 'boolean') throw new BrokenArchive('is not true or false');
    return value ? 1 : 0;
  },
};

export const json: Field = {
  write: (value) => JSON.parse(value as string),
  read: (value) => {
    if (typeof value !== 'object' || value === null) throw new BrokenArchive('is not an object');
    return textIn(JSON.stringify(value));
  },
};

/** A list of words, which the column has in one text. */
export const words: Field = {
  write: (value) => (value as string).split(' '),
  read: (value) => {
    if (!Array.isArray(value)) throw new BrokenArchive('is not a list');
    return value.map(textIn).join(' ');
  },
};

export const keyId: Field = {
  write: (value) => value,
  read: (value, target) => target.keyId(textIn(value)),
};

/** The id of a record, or of the one that it refers to. */
export function id(table: string): Field {
  return {
    write: (value) => value,
    read: (value, target) => target.id(table, wholeIn(value)),
  };
}

/** A UTC day. */
export const day: Field = {
  write: (value) => new Date((value as number) * DAY_MS).toISOString().slice(0, 10),
  read: (value) => instantIn(`${textIn(value)}T00:00:00Z`) / DAY_MS,
};

export const minute: Field = {
  write: (value) => formatInstant((value as number) * MINUTE_MS),
  read: (value) => Math.floor(instantIn(value) / MINUTE_MS),
};

export function optional(field: Field): Field {
  return { ...field, isOptional: true };
}

/** No column of text holds a zero or half a character. */
export function textIn(value: unknown): string {
  if (typeof value !== 'string' || value.includes('\u0000') || !value.isWellFormed()) {
    throw new BrokenArchive('is not a text');
  }
  return value;
}

export function wholeIn(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new BrokenArchive('is not a whole number');
  return value as number;
}

export function instantIn(value: unknown): number {
  const at = parseInstant(textIn(value));
  if (at === undefined) throw new BrokenArchive('is not an instant');
  return at;
}
