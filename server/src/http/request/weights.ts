/** What an Accept or Accept-Encoding header names, in lower case, each with its weight: 1 if it has no `q` (RFC 9110). */
export function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, Number(weight));
  }
  return weights;
}
