import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OptionName } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { captureOutput } from '../support/captured-output.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const output = captureOutput();

const run = (line: string) => runCommand(line === '' ? [] : line.split(' '));
const named = commands.map((command) => [command.name, command] as const);
/** What a command needs, as it would be written. */
const needed = ({ argument, options }: (typeof commands)[number]) => [
  ...(argument ? ['1'] : []),
  ...Object.entries(options).flatMap(([name, { isRequired }]) =>
    isRequired ? [`--${name}`, 'x'] : [],
  ),
];

describe('help', () => {
  it.each(['', '--help', '-h', 'help'])('`petstore %s` lists all commands', async (line) => {
    expect(await run(line)).toBe(0);
    for (const { name, summary } of commands) {
      const [, noun = '', verb = ''] = name.split(' ');
      expect(output.stdout).toMatch(new RegExp(`^  server ${noun} .*${verb}`, 'm'));
      if (verb === '') expect(output.stdout).toContain(summary.split(' ', 4).join(' '));
    }
    expect(output.stderr).toBe('');
  });

  it.each(named)('of `%s` shows its own options and an example', async (name, command) => {
    expect(await run(`${name} --help`)).toBe(0);
    const shown = output.stdout;
    const listed = [...shown.matchAll(/^ {2}--(\S+)/gm)].map(([, option]) => option);
    expect(listed).toEqual(Object.keys(command.options));
    expect(shown).toContain(`Usage: petstore ${name}`);
    expect(command.example).toMatch(new RegExp(`\\bpetstore ${name}\\b`));
    expect(shown).toContain(command.example);
    output.stdout = '';
    expect(await run(`help ${name}`)).toBe(0);
    expect(output.stdout).toBe(shown);
  });

  it.each(['server', 'server keys', 'server keys list', 'keys list', 'pets', 'pets list'])(
    'of `%s` is the same with the option first',
    async (name) => {
      expect(await run(`help ${name}`)).toBe(0);
      const shown = output.stdout;
      expect(shown).toContain(`Usage: petstore ${name}`);
      output.stdout = '';
      expect(await run(`--help ${name}`)).toBe(0);
      expect(output.stdout).toBe(shown);
    },
  );

  it('of a group lists its commands', async () => {
    expect(await run('server keys --help')).toBe(0);
    for (const action of ['list', 'create', 'rotate', 'revoke']) {
      expect(output.stdout).toContain(`  server keys ${action}`);
    }
    expect(output.stdout).not.toContain('bans');
  });
});

describe('a usage error', () => {
  const all = [...new Set(commands.flatMap(({ options }) => Object.keys(options)))];

  it.each(named)('is every option of another command: %s', async (name, command) => {
    for (const option of all.filter((other) => !command.options[other as OptionName])) {
      const takesValue = commands.find(({ options }) => options[option as OptionName])!.options[
        option as OptionName
      ]!.value;
      const given = takesValue === undefined ? [`--${option}`] : [`--${option}`, 'x'];
      output.stderr = '';
      expect(await runCommand([...name.split(' '), ...needed(command), ...given])).toBe(2);
      expect(output.stderr).toBe(
        `petstore: ${name} takes no --${option} (petstore ${name} --help)\n`,
      );
    }
  });

  it.each([
    [
      'server kys list',
      'there is no command server kys; did you mean `petstore server keys list`?',
    ],
    [
      'server keys lsit',
      'there is no command server keys lsit; did you mean `petstore server keys list`?',
    ],
    [
      'server bacup --to x',
      'there is no command server bacup; did you mean `petstore server backup`?',
    ],
    ['server dance', 'there is no command server dance'],
    ['server keys', 'server keys needs one of list, create, generate, rotate, revoke'],
    ['server keys list --jsn', 'there is no option --jsn; did you mean --json?'],
    ['server keys list -x', 'there is no option -x'],
    ['server keys list --workspace', '--workspace needs a value'],
    ['server keys list --json=yes', '--json takes no value'],
    [
      'server keys list --workspace 1 --workspace 2',
      '--workspace must not be given more than once',
    ],
    [
      'server keys create --scopes read --scopes=write,manage',
      '--scopes must not be given more than once',
    ],
    ['server copy --from same --to same', '--from and --to name the same database'],
    ['server keys list more', 'server keys list does not take more'],
    ['server keys revoke', 'server keys revoke needs KEY_ID'],
    ['server backup', 'server backup needs --to FILE, or --into FOLDER --keep N'],
    ['server copy --from a', 'server copy needs --to PLACE'],
  ])('`%s` says what is wrong and changes nothing', async (line, message) => {
    expect(await run(line)).toBe(2);
    expect(output.stdout).toBe('');
    expect(output.stderr).toContain(`petstore: ${message} (petstore `);
  });

  it.each([
    ['migrate', 'there is no command migrate; did you mean `petstore server migrate`?'],
    ['demo --pets 5', 'there is no command demo; did you mean `petstore server demo`?'],
    ['account keys list', 'there is no command account; did you mean `petstore keys list`?'],
    ['import pets.csv', 'there is no command import; did you mean `petstore pets import`?'],
    ['admin bans list', 'there is no command admin; did you mean `petstore bans list`?'],
    ['orders lst', 'there is no command orders lst; did you mean `petstore orders list`?'],
  ])('`%s` names the command that is meant', async (line, message) => {
    expect(await run(line)).toBe(2);
    expect(output.stderr).toBe(`petstore: ${message}\n`);
  });

  it('`server` alone names its commands', async () => {
    expect(await run('server')).toBe(2);
    const names = commands.map(({ name }) => name.replace('server ', '')).join(', ');
    expect(output.stderr).toBe(`petstore: server needs one of ${names} (petstore server --help)\n`);
  });

  it('`keys list` means the API, whatever database this machine has', async () => {
    vi.stubEnv('PETSTORE_API_KEY', '');
    vi.stubEnv('XDG_CONFIG_HOME', '/nonexistent');
    expect(await run('keys list')).toBe(4);
    expect(output.stderr).toContain('petstore login');
  });
});

describe('on a store', () => {
  beforeEach(async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    vi.stubEnv('PETSTORE_DATA_DIR', folder.path);
    expect(await run('server migrate')).toBe(0);
    expect(await run('server workspaces create --name shop')).toBe(0);
    output.stdout = '';
  });

  const json = async (line: string) => {
    output.stdout = '';
    expect(await run(`${line} --json`), output.stderr).toBe(0);
    return JSON.parse(output.stdout);
  };

  it.each(['server keys list --workspace 9', 'server workspaces update 9 --name x'])(
    'a workspace that does not exist is named: %s',
    async (line) => {
      expect([await run(line), output.stderr]).toEqual([
        1,
        'petstore: there is no workspace 9; `petstore server workspaces list` shows all\n',
      ]);
    },
  );

  it.each([
    [' ', 'must not be empty'],
    ['x'.repeat(201), 'must have at most 200 characters'],
    ['a\nb', 'must not contain control characters'],
  ])('a name that the API refuses is refused: %j', async (name, message) => {
    const shown = async () => [
      await json('server workspaces list'),
      await json('server keys list'),
    ];
    const before = await shown();
    for (const line of ['workspaces create', 'workspaces update 1', 'keys create'].map(
      (words) => `server ${words}`,
    )) {
      output.stderr = '';
      expect(await runCommand([...line.split(' '), '--name', name])).toBe(2);
      expect(output.stderr).toContain(`petstore: --name ${message} (petstore `);
    }
    expect(await shown()).toEqual(before);
  });

  it('a name is trimmed, and an empty one does not stand for the one before', async () => {
    expect(
      await runCommand(['server', 'workspaces', 'update', '1', '--name', ' Happy Paws ']),
    ).toBe(0);
    expect(await runCommand(['server', 'workspaces', 'update', '1', '--name', ''])).toBe(2);
    expect(await json('server workspaces list')).toMatchObject([{ name: 'Happy Paws' }]);
  });

  it('an id of a workspace that is not one is shown', async () => {
    expect(await run('server keys list --workspace shop')).toBe(2);
    expect(output.stderr).toContain(
      'petstore: --workspace takes the id of a workspace, such as 1; shop is not one (petstore ',
    );
  });

  it('a backup that cannot be written blames its target, not the database', async () => {
    const folder = process.env.PETSTORE_DATA_DIR!;
    const to = join(folder, 'missing', 'copy.db');
    expect(await run(`server backup --to ${to}`)).toBe(1);
    const database = join(folder, 'petstore.db');
    expect(output.stderr).toMatch(
      new RegExp(`^petstore: ${database} was not copied to ${to}: unable to open [^\\n]+$`, 'm'),
    );
  });

  it('a backup says that it copies only once nothing refuses it', async () => {
    const folder = process.env.PETSTORE_DATA_DIR!;
    const to = join(folder, 'copy.db');
    expect(await run(`server backup --to ${to}`)).toBe(0);
    expect(output.stderr).toBe('petstore: copying the database …\n');
    output.stderr = '';
    expect(await run(`server backup --to ${to}`)).toBe(1);
    expect(output.stderr).toBe(`petstore: ${to} exists already; nothing was overwritten\n`);
    vi.stubEnv('PETSTORE_DATABASE_URL', 'postgres://127.0.0.1:1/none');
    output.stderr = '';
    expect(await run(`server backup --to ${to}`)).toBe(1);
    expect(output.stderr).toMatch(/^petstore: backup copies SQLite; [^\n]+\n$/);
  });

  it('a switch may be repeated, since it has one value', async () => {
    expect(await run('server keys list --json --json')).toBe(0);
  });

  it('a store is not copied onto itself, whatever its folder is called', async () => {
    const folder = process.env.PETSTORE_DATA_DIR!;
    const link = join(folder, 'link');
    symlinkSync(folder, link);
    for (const to of [folder, `${folder}/.`, link]) {
      output.stderr = '';
      expect(await run(`server copy --from ${folder} --to ${to}`)).toBe(2);
      expect(output.stderr).toContain('petstore: --from and --to name the same database (');
    }
  });

  it('a key that has expired reads so, and one that was revoked', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T00:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const brief = await json('server keys create --name brief --expires-at 2026-02-01T00:00:00Z');
    const gone = await json('server keys create --name gone');
    output.stdout = '';
    await run('server keys list');
    expect(output.stdout).toContain('until 2026-02-01T00:00:00Z  brief');
    await run(`server keys revoke ${gone.id}`);
    vi.setSystemTime(Date.parse('2026-02-01T00:00:00Z'));
    output.stdout = '';
    await run('server keys list');
    expect(output.stdout).toContain('expired 2026-02-01T00:00:00Z  brief');
    expect(output.stdout).toContain('revoked 2026-01-01T00:00:00Z  gone');
    expect(await run(`server keys rotate ${brief.id}`)).toBe(1);
    expect(output.stderr).toBe(`petstore: the key ${brief.id} is expired 2026-02-01T00:00:00Z\n`);
  });

  it('rotates a key, whose old secret stays valid for the overlap', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T00:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const old = await json('server keys create --name till --scopes read');
    const created = await json(`server keys rotate ${old.id} --overlap-seconds 60`);
    expect(created).toMatchObject({ name: 'till', scopes: ['read'] });
    expect(created.key).toMatch(/^psk_\w{50}$/);
    expect(created.id).not.toBe(old.id);
    const keys: { id: string; expiresAt?: string; rotatedAt?: string }[] =
      await json('server keys list');
    expect(keys.find(({ id }) => id === old.id)).toMatchObject({
      expiresAt: '2026-01-01T00:01:00Z',
      rotatedAt: '2026-01-01T00:00:00Z',
    });
    expect(keys.find(({ id }) => id === created.id)).not.toHaveProperty('expiresAt');
    expect(await run('server keys rotate AAAAAAAAAAAA')).toBe(1);
    expect(output.stderr).toContain('workspace 1 has no key AAAAAAAAAAAA');
  });
});
