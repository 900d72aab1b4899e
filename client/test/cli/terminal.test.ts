import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { operationCommands } from '../../src/cli/commands.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore } from '../support/run-petstore.ts';
import { installPetstore, onTerminal } from '../support/terminal.ts';

const folder = temporaryFolder();
let app: TestApp;
let env: Record<string, string>;

beforeAll(async () => {
  installPetstore(folder.path);
  app = await testApp({ engine: 'sqlite' });
  env = {
    PATH: `${folder.path}:${process.env.PATH}`,
    XDG_CONFIG_HOME: `${folder.path}/config`,
    PETSTORE_API_KEY: app.key,
    PETSTORE_BASE_URL: `${app.address}/v1`,
  };
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
});

const newOrder = async () => {
  const { body } = await app.call('POST', '/v1/pets', { body: { name: 'Max', categoryId: 1 } });
  return (await app.call('POST', '/v1/store/orders', { body: { petId: body.id } })).body.id;
};

/** A service that answers every list with these records. */
async function serving(records: object[], next?: () => Promise<void>) {
  let pages = 0;
  const url = await fakeService(async (_, res) => {
    pages += 1;
    if (pages > 1) await next?.();
    const link = next ? { link: `</v1/pets?cursor=${pages}>; rel="next"` } : {};
    res.writeHead(200, link).end(JSON.stringify(records));
  });
  return { ...env, PETSTORE_BASE_URL: url };
}

/** Without those whose answer changes with every request. */
const reads = operationCommands.filter(
  ({ method, positionals, path }) =>
    method === 'GET' &&
    positionals.length === 0 &&
    !/^\/(usage|keys|requests|admin\/(keys|nodes|requests))/.test(path),
);

describe('on a terminal', () => {
  it('--json prints the same bytes as in a pipe', async () => {
    for (const { name } of reads) {
      const args = [...name.split(' '), '--json'];
      const { stdout } = await runPetstore(args, { env });
      expect(stdout).toMatch(/^[[{].*\n$/);
      const terminal = await runPetstore(args, { env, isTTY: true });
      expect(terminal.stdout, name).toBe(stdout);
    }
    const piped = await runPetstore(['pets', 'list', '--json'], { env });
    const { screen } = await onTerminal('petstore pets list --json', { env }).ended;
    expect(screen).toBe(piped.stdout);
  });

  it('a list is a table with a heading, and in a pipe it has tabs and none', async () => {
    const { screen } = await onTerminal('petstore pets list --no-names --name Rex', { env }).ended;
    expect(screen).toBe('  ID  NAME  CATEGORY  STATUS\n   1  Rex          1  available\n');
    const { stdout } = await runPetstore(['pets', 'list', '--name', 'Rex'], { env });
    expect(stdout).toMatch(/^1\tRex\t1\tavailable\t*\n$/);
  });

  it('a table is whole where the terminal has no width', async () => {
    const { screen } = await onTerminal('petstore pets list --no-names --name Rex', {
      env,
      columns: 0,
    }).ended;
    expect(screen).toBe('  ID  NAME  CATEGORY  STATUS\n   1  Rex          1  available\n');
  });

  it('a record cannot control the terminal', async () => {
    const records = [{ id: 1, name: 'Rex\x1b[2J\x07\x9b2J', categoryId: 1, status: 'sold' }];
    const fake = await serving(records);
    const { screen } = await onTerminal('petstore pets list; petstore orders get 1 -o table', {
      env: fake,
    }).ended;
    expect(screen).not.toMatch(/[\x1b\x07\x9b]/);
    const { stdout } = await runPetstore(['pets', 'list', '--json'], { env: fake });
    expect(JSON.parse(stdout)).toEqual(records);
  });

  it.each([
    ['csv', 'id,name\n1,Rex [2J 2J\n'],
    ['tsv', '1\tRex [2J 2J\n'],
  ])(
    'a record cannot control the terminal with -o %s, and is whole in a pipe',
    async (format, shown) => {
      const name = 'Rex\x1b[2J\x07\x9b2J';
      const fake = await serving([{ id: 1, name }]);
      const args = `pets list --fields id,name -o ${format}`.split(' ');
      const terminal = await runPetstore(args, { env: fake, isTTY: true });
      expect(terminal.stdout).toBe(shown);
      const piped = await runPetstore(args, { env: fake });
      expect(piped.stdout).toBe(shown.replace('Rex [2J 2J', name));
    },
  );

  it('a cancel asks, and does nothing unless the answer is yes', async () => {
    const id = await newOrder();
    const declined = onTerminal(`petstore orders cancel ${id}`, { env });
    await declined.sees('[y/N] ');
    declined.type('n\n');
    expect((await declined.ended).code).toBe(1);
    expect((await app.call('GET', `/v1/store/orders/${id}`)).body.state).toBe('open');
    const confirmed = onTerminal(`petstore orders cancel ${id}`, { env });
    await confirmed.sees('[y/N] ');
    confirmed.type('y\n');
    expect((await confirmed.ended).code).toBe(0);
    expect((await app.call('GET', `/v1/store/orders/${id}`)).body.state).toBe('cancelled');
  });

  it('a key that is typed is not shown', async () => {
    const { PETSTORE_API_KEY: key, ...others } = env;
    const login = onTerminal('petstore login', { env: others });
    await login.sees('API key: ');
    login.type(`${key}\n`);
    const { code, screen } = await login.ended;
    expect(code, screen).toBe(0);
    expect(screen).toContain('logged in');
    expect(screen).not.toContain(key!.slice(0, 12));
  });

  it('a key that is typed can be corrected with either code of the Backspace key', async () => {
    const { PETSTORE_API_KEY: key, ...others } = env;
    const login = onTerminal('petstore login', { env: others });
    await login.sees('API key: ');
    login.type(`xy\b\x7f${key}\n`);
    expect((await login.ended).code).toBe(0);
  });

  it('Ctrl-D at the prompt for a key ends it', async () => {
    const login = onTerminal('petstore login', { env });
    await login.sees('API key: ');
    login.type('\x04');
    const { code, screen } = await login.ended;
    expect([code, screen]).toEqual([2, expect.stringContaining('no key was given')]);
  });

  it.each([
    ['NO_COLOR', { NO_COLOR: '1' }],
    ['TERM=dumb', { TERM: 'dumb' }],
    ['nothing', {}],
  ])('no line is wider than the terminal, and none has colours, with %s', async (_, more) => {
    const names = ['x'.repeat(20_000), 'Bärbel 🐕', 'two\nlines'];
    const records = names.map((name, at) => ({ id: at + 1, name, categoryId: 1, status: 'sold' }));
    const fake = { ...(await serving(records)), ...more };
    const { code, screen } = await onTerminal('petstore pets list', { env: fake, columns: 40 })
      .ended;
    expect([code, screen.trimEnd().split('\n').length]).toEqual([0, 4]);
    for (const line of screen.split('\n')) expect(Array.from(line).length).toBeLessThanOrEqual(40);
    expect(screen).not.toContain('\x1b');
    for (const format of ['table', 'csv', 'tsv', 'ndjson']) {
      const piped = await runPetstore(['pets', 'list', '-o', format], { env: fake });
      expect(piped.stdout).toContain(names[0]);
    }
  });

  it.each([
    ['API key: ', 'petstore login'],
    ['[y/N] ', 'petstore orders cancel 999999'],
  ])(
    'Ctrl-C at the prompt %j ends the command with 130, and nothing is shown',
    async (prompt, line) => {
      const asking = onTerminal(`${line}; echo "exit $?"`, { env });
      await asking.sees(prompt);
      asking.pressInterrupt();
      const { screen } = await asking.ended;
      const after = screen.slice(screen.indexOf(prompt) + prompt.length);
      expect(after).toMatch(/^(\x1b\[\d+G)?\n?exit 130\n$/);
    },
  );

  it('Ctrl-C ends a long list at once with 130, after whole lines', async () => {
    const fake = await serving([{ id: 1, name: 'Rex' }], () => new Promise(() => {}));
    const list = onTerminal('petstore pets list --all -o ndjson; echo "exit $?"', { env: fake });
    await list.sees('"Rex"}');
    list.pressInterrupt();
    const { screen } = await list.ended;
    expect(screen.replace('^C', '')).toBe('{"id":1,"name":"Rex"}\nexit 130\n');
  });
});
