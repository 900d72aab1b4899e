// Which of the servers that a URL names is the primary. A server in recovery has old data, so it is never used, not even
// for reads. After a failover the old primary may run on, or come back, and take itself for the primary still: its timeline
// is older than that of the promoted server, and a server of an older timeline than this process has seen is never used
// either. The same holds for one address that comes to lead to another server.

import pg from 'pg';
import { hostOf, urlsOfHosts } from '../../lib/network/host-list.ts';
import { reasonOf, StorageUnavailable } from '../failures.ts';
import { remedyOf } from './failures.ts';

/** A promoted server is found within two seconds: within one interval and one look at it. */
const LOOK_MS = 1_000;
const LOOK_AGAIN_MS = 250;
const WATCH_MS = 1_000;
/** Works on a primary alone. The name of a segment begins with its timeline, in hexadecimal. */
const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';
/** The function is unknown, not supported or not allowed. */
const NO_TIMELINE = /^(0A000|42501|42883|55000)$/;

type Primary = { url: string; timeline: number };
type Look = Primary | { url: string; reason: string; remedy?: string | undefined };

const NO_PRIMARY = 'start the primary, or promote a standby';

export class PrimaryServer {
  readonly #urls: readonly string[];
  #url: string;
  #timeline = 0;
  #looking: Promise<void> | undefined;
  #failed: { at: number; failure: StorageUnavailable } | undefined;
  #watchAt = 0;

  constructor(url: string) {
    this.#urls = urlsOfHosts(withNamedSslMode(url));
    this.#url = this.#urls[0]!;
  }

  /** Of the server that new connections lead to. */
  get url(): string {
    return this.#url;
  }

  /** The newest timeline that was seen; 0 on an engine that has none. */
  get timeline(): number {
    return this.#timeline;
  }

  get isOneOfMany(): boolean {
    return this.#urls.length > 1;
  }

  /** Asks all servers at once. Rejects if none of them can be used, and says why for each. */
  find(): Promise<void> {
    const failed = this.#failed;
    if (failed && performance.now() < failed.at + LOOK_AGAIN_MS)
      return Promise.reject(failed.failure);
    this.#looking ??= this.#find().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /**
   * Called with every use of a connection. An old primary that runs on beside a promoted server answers as before, so nothing
   * fails: once a second, all servers are asked in the background, over connections of their own. One address may lead to
   * another server than it did when the other connections were opened.
   */
  watch(): void {
    if (performance.now() < this.#watchAt) return;
    this.#watchAt = performance.now() + WATCH_MS;
    void Promise.all(this.#urls.map((url) => this.#look(url))).then((looks) => {
      const newest = newestOf(looks);
      if (newest && newest.timeline > this.#timeline) this.#use(newest);
    });
  }

  /** Throws if the server of a new connection is not the primary. Returns its timeline. */
  async check(client: pg.ClientBase): Promise<number> {
    const timeline = await timelineOf(client);
    if (timeline === undefined) throw new StorageUnavailable('the server is in recovery');
    if (timeline < this.#timeline) throw new StorageUnavailable('the server is an old primary');
    this.#timeline = timeline;
    return timeline;
  }

  async #find(): Promise<void> {
    const looks = await Promise.all(this.#urls.map((url) => this.#look(url)));
    const newest = newestOf(looks);
    if (newest && newest.timeline >= this.#timeline) return this.#use(newest);
    const failure = new StorageUnavailable(`no primary among the servers; ${describe(looks)}`);
    this.#failed = { at: performance.now(), failure };
    throw failure;
  }

  #use({ url, timeline }: Primary): void {
    this.#url = url;
    this.#timeline = timeline;
    this.#failed = undefined;
  }

  async #look(url: string): Promise<Look> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'petstore',
      connectionTimeoutMillis: LOOK_MS,
      query_timeout: LOOK_MS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const timeline = await timelineOf(client);
      return timeline === undefined ? { url, reason: 'in recovery' } : { url, timeline };
    } catch (err) {
      return { url, reason: reasonOf(err), remedy: remedyOf(err) };
    } finally {
      // A server that does not answer must not delay the others.
      void client.end().catch(() => undefined);
    }
  }
}

function newestOf(looks: readonly Look[]): Primary | undefined {
  const primaries = looks.filter((look) => 'timeline' in look);
  return primaries.toSorted((a, b) => b.timeline - a.timeline)[0];
}

/** Each server and why it is none, with what to do. */
function describe(looks: readonly Look[]): string {
  const servers = looks.map((look) => {
    const host = hostOf(look.url);
    if ('timeline' in look) return `${host}: an old primary`;
    return [host, look.reason, ...(look.remedy ? [look.remedy] : [])].join(': ');
  });
  const isRefused = looks.some((look) => 'remedy' in look && look.remedy !== undefined);
  return `${servers.join('; ')}${isRefused ? '' : `; ${NO_PRIMARY}`}`;
}

/** Undefined if the server is in recovery; 0 if it has no timelines. */
async function timelineOf(client: pg.ClientBase): Promise<number | undefined> {
  const ask = async (expression: string) => {
    const text = `SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE ${expression} END AS timeline`;
    return (await client.query<{ timeline: string | null }>(text)).rows[0]!.timeline;
  };
  const timeline = await ask(TIMELINE).catch((err: unknown) => {
    if (err instanceof pg.DatabaseError && NO_TIMELINE.test(err.code ?? '')) return ask("'0'");
    throw err;
  });
  return timeline === null ? undefined : Number.parseInt(timeline, 16);
}

/** The driver takes these modes for verify-full, and warns of that in many lines at the start of each process. */
function withNamedSslMode(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
