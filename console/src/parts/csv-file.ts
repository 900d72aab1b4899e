/** A cell of a CSV file. A text that a spreadsheet would run as a formula gets a quote in front. */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Excel takes a file without it for one of the system's old code page. */
const BYTE_ORDER_MARK = '\ufeff';

/** Offers the rows of a table as a file. */
export function saveCsv(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([BYTE_ORDER_MARK, text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
