import { controlWords as words } from '../words/controls.ts';
import { Code } from './code.tsx';
import { Copy } from './copy.tsx';

export interface CurlProps {
  method: string;
  /** Below /v1, with its query. */
  path: string;
  body?: unknown;
  /** The ETag of the record that the request builds on. */
  ifMatch?: string | undefined;
}

/** The request as a command for a POSIX shell. */
export function curlText(
  { method, path, body, ifMatch }: CurlProps,
  origin = location.origin,
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(`${origin}/v1${path}`)}`,
    '-H "Authorization: Bearer $PETSTORE_API_KEY"',
    ...(ifMatch ? [`-H ${quoted(`If-Match: ${ifMatch}`)}`] : []),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** The command, or that there is none yet. Its place is always there, so that nothing jumps while one types. */
export function AsCurl({ isOff, ...request }: CurlProps & { isOff?: boolean | undefined }) {
  const text = curlText(request);
  return (
    <details class="curl">
      <summary>{words.asCurl}</summary>
      {isOff ? (
        <p class="hint">{words.asCurlOff}</p>
      ) : (
        <>
          <p class="hint">{words.asCurlHint}</p>
          <Code>{text}</Code>
          <Copy text={text} />
        </>
      )}
    </details>
  );
}
