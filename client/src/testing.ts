/** A response to script: an error object or a record as `body`. */
export interface ScriptedResponse {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** An error is thrown as fetch throws it: there was no response. */
export type Scripted = ScriptedResponse | Error;
/** One response for all requests of a route, a list of them in order, or what a function returns. */
export type ScriptedRoute = Scripted | readonly Scripted[] | ((request: Request) => Scripted);
export type ScriptedFetch = typeof fetch & { readonly requests: readonly Request[] };

/**
 * A fetch for tests: it records the requests and opens no socket. It returns the responses of a list in order, or those of
 * the route that a request matches: `{ 'GET /pets/{petId}': { body: rex } }`.
 */
export function scriptedFetch(
  script: readonly Scripted[] | Readonly<Record<string, ScriptedRoute>>,
): ScriptedFetch {
  const requests: Request[] = [];
  const routes = Array.isArray(script)
    ? [{ pattern: /^/, route: [...script] }]
    : Object.entries(script).map(([name, route]) => ({
        pattern: patternOf(name),
        route: Array.isArray(route) ? [...route] : route,
      }));
  const scripted = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    requests.push(request.clone());
    const target = `${request.method} ${new URL(request.url).pathname}`;
    const found = routes.find(({ pattern }) => pattern.test(target));
    if (!found) throw new Error(`The script has no route for ${target}.`);
    return responseOf(nextOf(found.route, request));
  };
  return Object.assign(scripted as typeof fetch, { requests });
}

/** A route is a method and a path below the base URL. */
function patternOf(name: string): RegExp {
  const [method, path = ''] = name.split(' ');
  const text = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${method} (/.*)?/v1${text}$`);
}

function nextOf(route: ScriptedRoute, request: Request): Scripted {
  if (typeof route === 'function') return route(request);
  if (!Array.isArray(route)) return route as Scripted;
  const next = route.shift() as Scripted | undefined;
  if (next === undefined) throw new Error('The script has no response left.');
  return next;
}

function responseOf(next: Scripted): Response {
  if (next instanceof Error) throw next;
  const { status = 200, body, headers } = next;
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}
