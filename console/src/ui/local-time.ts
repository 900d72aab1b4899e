// What the fields for dates and times hold: local time without a zone.

const pad = (value: number, length = 2) => String(value).padStart(length, '0');

/** An instant as the value of a `datetime-local` field; '' for none. */
export function toLocalInput(at: string | undefined): string {
  if (at === undefined) return '';
  const when = new Date(at);
  const day = [pad(when.getFullYear(), 4), pad(when.getMonth() + 1), pad(when.getDate())].join('-');
  return `${day}T${pad(when.getHours())}:${pad(when.getMinutes())}`;
}

/** The instant that such a field means; undefined if it is empty or no time. */
export function fromLocalInput(text: string): string | undefined {
  const when = new Date(text);
  return text === '' || Number.isNaN(when.getTime()) ? undefined : when.toISOString();
}

/**
 * The instant that an address gives. A day without a time, `2026-11-15`, is one of the reader: its first or its last
 * millisecond. Undefined if it is none, or not in the years 0 to 9999, which are all that the service knows.
 */
export function instantIn(text = '', isEnd = false): string | undefined {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  const time = isEnd ? 'T23:59:59.999' : 'T00:00';
  const at = fromLocalInput(text.length === 10 ? text + time : text);
  return at && /^\d/.test(at) ? at : undefined;
}
