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

/** The first or the last millisecond of a local day, `2026-11-15`; undefined if it is no day. */
export function dayEdge(day: string | undefined, edge: 'start' | 'end'): string | undefined {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  return fromLocalInput(edge === 'start' ? `${day}T00:00:00.000` : `${day}T23:59:59.999`);
}
