import { type Logger, symbols } from 'pino';

export interface RequestEntry {
  requestId: string;
  method: string;
  path: string;
  operation: string | undefined;
  status: number;
  code: string | undefined;
  keyId: string | undefined;
  ms: number;
}

/**
 * Writes the line that each request leaves, where the logger writes and as it would. The logger looks at every
 * character of every field; here only the path can hold one that needs care.
 */
export function requestLog(log: Logger): (entry: RequestEntry) => void {
  if (!log.isLevelEnabled('info')) return () => undefined;
  const out = (log as unknown as Record<symbol, NodeJS.WritableStream>)[symbols.streamSym]!;
  const start = `{"level":${log.levels.values.info},"time":`;
  return ({ requestId, method, path, operation, status, code, keyId, ms }) => {
    let line = `${start}${Date.now()},"requestId":"${requestId}","method":"${method}"`;
    line += `,"path":${JSON.stringify(path)}`;
    if (operation !== undefined) line += `,"operation":"${operation}"`;
    line += `,"status":${status}`;
    if (code !== undefined) line += `,"code":"${code}"`;
    if (keyId !== undefined) line += `,"keyId":"${keyId}"`;
    out.write(`${line},"ms":${ms}}\n`);
  };
}
