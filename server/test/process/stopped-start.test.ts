import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { spawnPetstore } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A PostgreSQL that accepts connections and never answers. */
async function silentPostgres() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://someone@127.0.0.1:${port}/store`,
    connected: once(server, 'connection'),
  };
}

/** Sends the signal once the command waits for its database, and returns how it ended. */
async function stopWhileWaiting(command: string[], signal: NodeJS.Signals) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const postgres = await silentPostgres();
  const child = spawnPetstore(command, {
    PETSTORE_DATABASE_URL: postgres.url,
    PETSTORE_DATA_DIR: folder.path,
    PETSTORE_PORT: '0',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const read = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout!.on('data', read);
  child.stderr!.on('data', read);
  await postgres.connected;
  const closed = once(child, 'close');
  child.kill(signal);
  const [exitCode] = (await closed) as [number | null];
  return { exitCode, output };
}

describe('a start that waits for its database', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s', async (signal) => {
    const { exitCode, output } = await stopWhileWaiting(['serve'], signal);
    expect(exitCode).toBe(0);
    expect(output).toContain('"stopped before it was ready"');
    expect(output).not.toContain('petstore:');
  });
});

it('another command ends with 143 on SIGTERM, so that it also ends as PID 1 of a container', async () => {
  const command = ['server', 'migrate'];
  expect(await stopWhileWaiting(command, 'SIGTERM')).toEqual({ exitCode: 143, output: '' });
});
