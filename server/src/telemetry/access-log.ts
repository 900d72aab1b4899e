/** What is logged of a request. Only the path can have characters that JSON escapes. */
interface LoggedRequest {
  requestId: string;
  method: string;
  /** Without the query. */
  path: string;
  operation: string | undefined;
  status: number;
  /** The code of the error, if it was one. */
  code: string | undefined;
  keyId: string | undefined;
  durationMs: number;
}

const INFO = 30;

export type AccessLog = (request: LoggedRequest) => void;

/**
 * Writes one line for each request, in the shape of pino's lines. pino walks through the fields of any object; these are
 * known, and a request is the most frequent line, so the text is put together here (ADR 8).
 */
export function accessLogTo(output: { write(line: string): void }): AccessLog {
  return ({ requestId, method, path, operation, status, code, keyId, durationMs }) => {
    const ms = Math.round(durationMs * 1000) / 1000;
    output.write(
      `{"level":${INFO},"time":${Date.now()},"requestId":"${requestId}","method":"${method}","path":${JSON.stringify(path)}` +
        `${field('operation', operation)},"status":${status}${field('code', code)}${field('keyId', keyId)},"ms":${ms}}\n`,
    );
  };
}

function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":"${value}"`;
}
