import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Below the ports that Linux gives to `listen(0)` and to connections, so that none of those takes it before it is used. */
const PORTS = [20_000, 32_000] as const;

/**
 * A port on which no process listens. A run of the tests gives each port to one server, which may stop and start again on it:
 * meanwhile nothing else is started there.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    if (claim(port) && (await isFree(port))) return port;
  }
}

/** Whether no other test file of this run has the port. */
function claim(port: number): boolean {
  const { TEST_FOLDER: folder } = process.env;
  if (!folder) return true;
  try {
    mkdirSync(join(folder, `port-${port}`));
    return true;
  } catch {
    return false;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
