/** The path of a request's URL, without the query. */
export function pathIn(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

/** The query of a request's URL, without the question mark; empty if there is none. */
export function queryIn(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
