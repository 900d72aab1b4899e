/** A response to script: an error object or a record as `body`. */
export interface ScriptedResponse {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export type ScriptedFetch = typeof fetch & { readonly requests: readonly Request[] };

/** A fetch for tests: it returns the responses in order, records the requests, and opens no socket. */
export function scriptedFetch(responses: readonly (ScriptedResponse | Error)[]): ScriptedFetch {
  const requests: Request[] = [];
  const remaining = [...responses];
  const scripted = async (input: string | URL | Request, init?: RequestInit) => {
    requests.push(new Request(input, init));
    const next = remaining.shift();
    if (next === undefined) throw new Error('The script has no response left.');
    if (next instanceof Error) throw next;
    const { status = 200, body, headers } = next;
    return new Response(body === undefined ? null : JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    });
  };
  return Object.assign(scripted as typeof fetch, { requests });
}
