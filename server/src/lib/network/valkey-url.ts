// The URLs of Valkey and Redis: one server, Sentinel, or Cluster, each with or without TLS.

export interface ValkeyAddress {
  host: string;
  port: number;
}

export interface ValkeyCredentials {
  username: string | undefined;
  password: string | undefined;
}

export interface ValkeyTarget {
  topology: 'server' | 'sentinel' | 'cluster';
  /** The server, the Sentinels, or some nodes of the Cluster. */
  addresses: readonly [ValkeyAddress, ...ValkeyAddress[]];
  isEncrypted: boolean;
  /** For the servers that count. */
  credentials: ValkeyCredentials;
  database: number;
  /** With Sentinel: the name of the master, and the credentials for the Sentinels. */
  masterName: string;
  sentinelCredentials: ValkeyCredentials;
}

const PORT = 6379;
const SENTINEL_PORT = 26_379;
const ADDRESSES_MAX = 100;
const parts = {
  scheme: /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\//.source,
  user: /(?:(?<user>[^@/?#]*)@)?/.source,
  hosts: /(?<hosts>[^@/?#]+)/.source,
  rest: /(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/.source,
};
const SHAPE = new RegExp(parts.scheme + parts.user + parts.hosts + parts.rest, 'i');
const HOST = /^(?<host>\[[\da-f:.]+\]|[^\s:[\]]+)(?::(?<port>\d{1,5}))?$/i;

/** Throws an error whose message says what the URL must be. */
export function parseValkeyUrl(text: string): ValkeyTarget {
  const found = SHAPE.exec(text)?.groups;
  if (!found) {
    throw new Error('a URL like redis://host, redis+sentinel://host/name or redis+cluster://host');
  }
  const topology = (found.kind?.toLowerCase() ?? 'server') as ValkeyTarget['topology'];
  const addresses = found
    .hosts!.split(',')
    .map((host) => parseAddress(host, topology === 'sentinel' ? SENTINEL_PORT : PORT));
  if (addresses.length > (topology === 'server' ? 1 : ADDRESSES_MAX)) {
    throw new Error(
      topology === 'server'
        ? 'a URL with one host; several are written redis+sentinel:// or redis+cluster://'
        : `a URL with at most ${ADDRESSES_MAX} hosts`,
    );
  }
  return {
    topology,
    addresses: addresses as [ValkeyAddress, ...ValkeyAddress[]],
    isEncrypted: found.tls !== '',
    credentials: credentialsOf(found.user ?? ''),
    ...parsePath(topology, found.path?.slice(1) ?? ''),
    sentinelCredentials: parseQuery(topology, found.query ?? ''),
  };
}

function parseAddress(text: string, defaultPort: number): ValkeyAddress {
  const found = HOST.exec(text)?.groups;
  const port = Number(found?.port ?? defaultPort);
  if (!found || port < 1 || port > 65_535) {
    throw new Error('a URL with a valid host and a port up to 65535');
  }
  return { host: found.host!.replace(/^\[|\]$/g, ''), port };
}

function parsePath(topology: ValkeyTarget['topology'], path: string) {
  const [masterName, database] = topology === 'sentinel' ? path.split(/\/(?=\d*$)/) : ['', path];
  if (topology === 'sentinel' && !masterName) {
    throw new Error('a URL whose path is the name of the master, as in redis+sentinel://host/name');
  }
  if (topology === 'cluster' && path !== '') {
    throw new Error('a URL without a path: a Cluster has one database');
  }
  if (!/^\d{0,6}$/.test(database ?? '')) {
    throw new Error('a URL whose path is the number of a database');
  }
  return { masterName: decoded(masterName!), database: Number(database ?? 0) };
}

function parseQuery(topology: ValkeyTarget['topology'], query: string): ValkeyCredentials {
  const given = new URLSearchParams(query);
  const known = topology === 'sentinel' ? ['sentinelUsername', 'sentinelPassword'] : [];
  if (![...given.keys()].every((name) => known.includes(name))) {
    throw new Error(
      'a URL without parameters, except sentinelUsername and sentinelPassword with redis+sentinel://',
    );
  }
  return {
    username: given.get('sentinelUsername') ?? undefined,
    password: given.get('sentinelPassword') ?? undefined,
  };
}

function credentialsOf(user: string): ValkeyCredentials {
  const [username, ...password] = user.split(':');
  return {
    username: decoded(username!) || undefined,
    password: decoded(password.join(':')) || undefined,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('a URL with a percent-encoded user name and password (a % is %25)');
  }
}
