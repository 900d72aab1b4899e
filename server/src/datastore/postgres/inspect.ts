import pg from 'pg';
import { PrimaryServer } from './primary.ts';

export interface ServerFacts {
  version: string;
  /** Of max_connections. */
  max: number;
  /** Connections of all clients now. */
  used: number;
  /** Nodes that were seen lately. */
  nodes: number;
}

const CONNECT_MS = 5_000;
const ALIVE_MS = 15_000;

/** Asks the primary. Rejects if there is none, and names each server and why. */
export async function inspectPostgres(url: string): Promise<ServerFacts> {
  const primary = new PrimaryServer(url);
  await primary.find();
  const client = new pg.Client({
    connectionString: primary.url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Omit<ServerFacts, 'nodes'> & { hasNodes: boolean }>(
      `SELECT current_setting('server_version') AS version,
         CAST(current_setting('max_connections') AS INTEGER) AS max,
         (SELECT CAST(count(*) AS INTEGER) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
         to_regclass('nodes') IS NOT NULL AS "hasNodes"`,
    );
    const { hasNodes, ...facts } = rows[0]!;
    return { ...facts, nodes: hasNodes ? await countNodes(client) : 0 };
  } finally {
    await client.end();
  }
}

async function countNodes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM nodes
     WHERE seen_at > EXTRACT(EPOCH FROM clock_timestamp()) * 1000 - ${ALIVE_MS}`,
  );
  return rows[0]!.count;
}
