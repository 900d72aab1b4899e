const WARN = 40;

export interface LogLine {
  level: number;
  msg: string;
  [field: string]: unknown;
}

/** What a log has of warnings and worse. */
export function warningsOf(lines: readonly string[]): LogLine[] {
  const parsed = lines.map((line) => JSON.parse(line) as LogLine);
  return parsed.filter(({ level }) => level >= WARN);
}
