/** A URL of each host that a URL names: `postgres://a,b:5433/petstore` stands for two. They may be invalid. */
export function urlsOfHosts(text: string): string[] {
  const parts = /^(\w+:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text);
  if (!parts?.[3]?.includes(',')) return [text];
  const [, scheme, credentials, hosts, rest] = parts;
  // Without a host it would be a valid URL of another server: the default one.
  return hosts!.split(',').map((host) => `${scheme}${credentials}${host || 'a host'}${rest}`);
}

/** The host of a URL of PostgreSQL with its port, and nothing that is secret. */
export function hostOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 5432}`;
}
