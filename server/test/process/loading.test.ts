import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { petstore } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SERVER_PARTS = /\/(fastify|better-sqlite3|pg|pino|typebox|ajv)\/|server\/src\/app\.ts/;

/** Runs a command and returns its exit code and the URLs of all modules that it loaded. */
async function modulesOf(args: string[], environment: Record<string, string> = {}) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const list = join(folder.path, 'modules');
  const hook = join(folder.path, 'hook.mjs');
  mkdirSync(join(folder.path, 'data'));
  writeFileSync(list, '');
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({ load(url, context, next) {
       appendFileSync(${JSON.stringify(list)}, url + '\\n');
       return next(url, context);
     } });`,
  );
  const { exitCode, stderr } = await petstore(args, {
    PETSTORE_DATA_DIR: join(folder.path, 'data'),
    XDG_CONFIG_HOME: folder.path,
    NODE_OPTIONS: `--import=${hook}`,
    ...environment,
  });
  return { exitCode, stderr, modules: readFileSync(list, 'utf8') };
}

describe('a command loads only what it needs', () => {
  it('the list of modules is complete: migrate loads SQLite', async () => {
    const { exitCode, modules } = await modulesOf(['server', 'migrate']);
    expect(exitCode).toBe(0);
    expect(modules).toContain('/better-sqlite3/');
    expect(modules).not.toMatch(/\/(fastify|pino)\//);
  });

  it.each([
    ['--help'],
    ['help', 'orders'],
    ['server', 'keys', '--help'],
    ['completion', 'bash'],
    ['version'],
  ])('`petstore %s` loads nothing of the service', async (...args) => {
    const { exitCode, modules } = await modulesOf(args);
    expect(exitCode).toBe(0);
    expect(modules).toContain('run-command.ts');
    expect(modules).not.toMatch(SERVER_PARTS);
  });

  it('`petstore serve` loads neither the compilers of Fastify nor PostgreSQL', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const { stderr, modules } = await modulesOf(['serve'], { PETSTORE_PORT: String(port) });
    expect(stderr).toContain('EADDRINUSE');
    expect(modules).toContain('/find-my-way/');
    expect(modules).not.toMatch(
      /-compiler\/|\/pg\/|otel-tracing|opentelemetry\/(sdk|exporter|core|resources)/,
    );
  });

  it('`petstore pets list` loads neither Fastify nor SQLite', async () => {
    const version = { 'x-api-version': '1.0.0' };
    const server = createServer((_, res) => res.writeHead(200, version).end('[]'));
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { exitCode, stderr, modules } = await modulesOf(['pets', 'list'], {
      PETSTORE_API_KEY: 'psk_test',
      PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`,
    });
    expect(exitCode, stderr).toBe(0);
    expect(modules).toContain('run-operation.ts');
    expect(modules).not.toMatch(SERVER_PARTS);
  });
});
