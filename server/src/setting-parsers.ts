// Parsers of settings. Each returns the value, or throws a Fault that says what is expected.

import { isAddressRange, isMixedRange, isWholeRange } from './lib/network/address-range.ts';

/** What a setting must be. */
export class Fault extends Error {}

export function expect(text: string, shape: RegExp, what: string): string {
  if (!shape.test(text)) throw new Fault(what);
  return text;
}

export function integer(text: string, minimum: number, maximum: number): number {
  if (!isInteger(text, minimum, maximum)) {
    throw new Fault(`an integer from ${minimum} to ${maximum}`);
  }
  return Number(text);
}

export function isInteger(text: string, minimum: number, maximum: number): boolean {
  return /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
}

export function oneOf<const V extends string>(text: string, values: readonly V[]): V {
  if (!(values as readonly string[]).includes(text)) throw new Fault(`one of ${values.join(', ')}`);
  return text as V;
}

export function list(
  text: string,
  isValid: (item: string) => boolean,
  what: string,
): readonly string[] {
  const items = text === '' ? [] : text.split(',').map((item) => item.trim());
  if (!items.every(isValid)) throw new Fault(what);
  return items;
}

export function optionalUrl(text: string, protocols: readonly string[]): string | undefined {
  if (text === '') return undefined;
  // Without the slashes it may parse, too, but the host would be taken for a path.
  if (!protocols.some((protocol) => text.toLowerCase().startsWith(`${protocol}//`))) {
    throw new Fault(`a URL starting with ${protocols[0]}//`);
  }
  if (!URL.canParse(text)) throw new Fault('a URL with a valid host and a port up to 65535');
  // The driver of PostgreSQL takes a % that begins no escape as it is.
  if (!isDecodable(text.replace(/%(?![\da-f]{2})/gi, ''))) {
    throw new Fault('a URL whose percent-encoded characters are UTF-8');
  }
  return text;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A range of all addresses would let every client choose its own. */
export function isProxyRange(item: string): boolean {
  return isAddressRange(item) && !isWholeRange(item) && !isMixedRange(item);
}

export function isAllowedTarget(item: string): boolean {
  const isName = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i.test(
    item,
  );
  return (isAddressRange(item) && !isMixedRange(item)) || (isName && !/^[\d.]+$/.test(item));
}

export function isOrigin(item: string): boolean {
  return (
    URL.canParse(item) && /^https?:$/.test(new URL(item).protocol) && new URL(item).origin === item
  );
}
