import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore } from '../support/run-petstore.ts';

const folder = temporaryFolder();
const FILE = `${folder.path}/petstore/config.json`;
const profiles = { home: { apiKey: 'psk_home' }, work: { apiKey: 'psk_work' } };

beforeEach(() => {
  rmSync(FILE, { recursive: true, force: true });
  mkdirSync(`${folder.path}/petstore`, { recursive: true });
  writeProfiles({ current: 'home', profiles });
});

function writeProfiles(file: object): void {
  writeFileSync(FILE, JSON.stringify(file), { mode: 0o600 });
}

function storedProfiles() {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** A service that answers every request alike, and has no keys to list. */
async function answering(status: number, body: object): Promise<Record<string, string>> {
  const url = await fakeService((req, res) => {
    res.writeHead(status).end(JSON.stringify(req.url!.startsWith('/v1/keys') ? [] : body));
  });
  return { XDG_CONFIG_HOME: folder.path, PETSTORE_BASE_URL: url };
}

describe('--fields', () => {
  it.each([
    [['whoami', '--fields', 'plan,workspace'], 'free\tShop\n'],
    [['whoami', '--fields', 'plan', '--json'], '{"plan":"free"}\n'],
    [['whoami', '-o', 'csv', '--fields', 'workspace,key'], 'workspace,key\nShop,\n'],
    [['profiles', '--fields', 'name'], 'home\nwork\n'],
    [['profiles', '--fields', 'name', '--json'], '[{"name":"home"},{"name":"work"}]\n'],
    [['profiles', '-o', 'csv'], 'name,isCurrent,baseUrl\nhome,true,\nwork,false,\n'],
  ])('and the format hold for %j', async (args, stdout) => {
    const env = await answering(200, { name: 'Shop', plan: 'free', windows: [] });
    expect(await runPetstore(args, { env })).toEqual({ code: 0, stdout, stderr: '' });
  });

  it.each(['whoami', 'profiles', 'version'])('is refused by %s if it is wrong', async (name) => {
    const env = { XDG_CONFIG_HOME: folder.path, PETSTORE_BASE_URL: 'http://127.0.0.1:9' };
    const { code, stdout, stderr } = await runPetstore([name, '--fields', 'nope'], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--fields: there is no field nope');
  });
});

describe('PETSTORE_PROFILE', () => {
  it('is the profile that login stores', async () => {
    const env = await answering(200, { name: 'Shop' });
    const named = { ...env, PETSTORE_PROFILE: 'work' };
    const { code } = await runPetstore(['login'], { env: named, input: 'psk_new\n' });
    expect(code).toBe(0);
    expect(storedProfiles().profiles).toMatchObject({
      home: { apiKey: 'psk_home' },
      work: { apiKey: 'psk_new' },
    });
  });

  it('is repeated, if it was an option, in the line that looks a request up', async () => {
    const body = { code: 'not_found', message: 'No.', status: 404, requestId: 'r1' };
    const { PETSTORE_BASE_URL: baseUrl, ...env } = await answering(404, body);
    writeProfiles({ profiles: { work: { apiKey: 'psk_work', baseUrl } } });
    const { stderr } = await runPetstore(['--profile', 'work', 'pets', 'get', '1'], { env });
    expect(stderr).toContain('look it up with petstore requests get r1 --profile work\n');
    const quoted = await runPetstore(['pets', 'get', '1', "--profile=Ann's"], {
      env: { ...env, PETSTORE_API_KEY: 'psk_work', PETSTORE_BASE_URL: baseUrl! },
    });
    expect(quoted.stderr).toContain(`requests get r1 --profile 'Ann'\\''s'\n`);
  });

  it('is the profile that logout removes', async () => {
    const env = { XDG_CONFIG_HOME: folder.path, PETSTORE_PROFILE: 'work' };
    expect((await runPetstore(['logout'], { env })).code).toBe(0);
    expect(storedProfiles()).toEqual({ current: 'home', profiles: { home: profiles.home } });
  });
});

describe('login', () => {
  const refusal = (code: string) => ({ code, message: 'No.', status: 403, requestId: 'r1' });

  it('takes a key that may not read: the service knows it', async () => {
    const env = await answering(403, refusal('insufficient_scope'));
    const { code, stderr } = await runPetstore(['login'], { env, input: 'psk_writer\n' });
    expect([code, stderr]).toEqual([0, 'petstore: profile default is logged in\n']);
    expect(storedProfiles().profiles.default).toMatchObject({ apiKey: 'psk_writer' });
  });

  it('stores a profile whatever its name is', async () => {
    const env = await answering(200, { name: 'Shop' });
    const login = ['login', '--profile', '__proto__'];
    expect((await runPetstore(login, { env, input: 'psk_new\n' })).code).toBe(0);
    expect(Object.keys(storedProfiles().profiles)).toContain('__proto__');
    expect((await runPetstore(['whoami'], { env })).code).not.toBe(78);
  });

  it('reads a file with a byte order mark', async () => {
    writeFileSync(FILE, `\uFEFF${JSON.stringify({ current: 'home', profiles })}`, { mode: 0o600 });
    const env = { XDG_CONFIG_HOME: folder.path };
    expect((await runPetstore(['profiles'], { env })).stdout).toBe('* home\t\n  work\t\n');
  });

  it('again keeps the base URL of the profile, unless another is given', async () => {
    const { PETSTORE_BASE_URL: baseUrl, ...env } = await answering(200, { name: 'Shop' });
    writeProfiles({ profiles: { work: { apiKey: 'psk_old', baseUrl } } });
    const login = ['login', '--profile', 'work'];
    expect((await runPetstore(login, { env, input: 'psk_new\n' })).code).toBe(0);
    expect(storedProfiles().profiles.work).toEqual({ apiKey: 'psk_new', baseUrl });
    const { PETSTORE_BASE_URL: other } = await answering(200, { name: 'Other' });
    const moved = [...login, '--base-url', other!];
    expect((await runPetstore(moved, { env, input: 'psk_new\n' })).code).toBe(0);
    expect(storedProfiles().profiles.work).toEqual({ apiKey: 'psk_new', baseUrl: other });
  });

  it('without a terminal takes the key of the environment, unless one is piped in', async () => {
    const env = { ...(await answering(200, { name: 'Shop' })), PETSTORE_API_KEY: 'psk_env' };
    const { code, stderr } = await runPetstore(['login'], { env });
    expect([code, stderr]).toEqual([
      0,
      'petstore: profile default is logged in to Shop with the key of PETSTORE_API_KEY\n',
    ]);
    expect(storedProfiles().profiles.default).toMatchObject({ apiKey: 'psk_env' });
    await runPetstore(['login'], { env, input: 'psk_piped\n' });
    expect(storedProfiles().profiles.default).toMatchObject({ apiKey: 'psk_piped' });
    const { PETSTORE_API_KEY: _, ...none } = env;
    expect((await runPetstore(['login'], { env: none })).code).toBe(2);
  });

  it('takes no key that is refused for another reason', async () => {
    const env = await answering(403, refusal('ip_not_allowed'));
    expect((await runPetstore(['login'], { env, input: 'psk_writer\n' })).code).toBe(4);
    expect(storedProfiles()).toEqual({ current: 'home', profiles });
  });
});

describe('removing a profile', () => {
  const env = { XDG_CONFIG_HOME: folder.path };

  it.each([
    [['logout'], 'left: work; petstore profiles use work takes one into use'],
    [['logout', '--profile', 'work'], 'profile home stays in use'],
    [['profiles', 'remove', 'home', '--yes'], 'left: work; petstore profiles use work'],
    [['profiles', 'remove', 'home'], 'left: work; petstore profiles use work'],
  ])('%j names the one that is gone and the one that is left', async (args, left) => {
    const { code, stderr } = await runPetstore(args, { env });
    const gone = args.includes('work') ? 'work' : 'home';
    expect(code).toBe(0);
    expect(stderr).toContain(`profile ${gone} is removed`);
    expect(stderr).toContain(left);
    expect(Object.keys(storedProfiles().profiles)).toEqual([gone === 'home' ? 'work' : 'home']);
  });

  it('says when it was the last', async () => {
    writeProfiles({ current: 'home', profiles: { home: profiles.home } });
    expect((await runPetstore(['logout'], { env })).stderr).toContain('no profile is left');
  });
});

describe('a file of profiles', () => {
  it('that cannot be read is refused, with the reason', async () => {
    rmSync(FILE);
    mkdirSync(FILE, { mode: 0o700 });
    const env = { XDG_CONFIG_HOME: folder.path };
    const { code, stdout, stderr } = await runPetstore(['pets', 'list'], { env });
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toContain(`${FILE} cannot be read: illegal operation on a directory`);
  });

  it('whose command prints no key is refused, and the command is named as the cause', async () => {
    writeProfiles({ current: 'vault', profiles: { vault: { apiKeyCommand: 'true' } } });
    const env = { XDG_CONFIG_HOME: folder.path };
    const { code, stderr } = await runPetstore(['pets', 'list'], { env });
    expect(code).toBe(78);
    expect(stderr).toContain('apiKeyCommand printed nothing');
  });
});

describe('a key', () => {
  const commands = ['pets list', 'mcp', 'listen --from 0', 'whoami', 'listen --print-secret'];

  it('is read without the white space around it, everywhere', async () => {
    const keys: (string | undefined)[] = [];
    const url = await fakeService(({ headers }, res) => {
      keys.push(headers.authorization);
      res.writeHead(400).end('{"code":"invalid_request","message":"No."}');
    });
    const secrets = new Set<string>();
    for (const apiKey of ['psk_a', ' psk_a', 'psk_a\n', '\tpsk_a\r\n']) {
      const env = { PETSTORE_API_KEY: apiKey, PETSTORE_BASE_URL: url };
      for (const line of commands) {
        const { stdout } = await runPetstore(line.split(' '), { env, input: '{"id":1}\n' });
        if (line.endsWith('secret')) secrets.add(stdout);
      }
    }
    expect(keys).toEqual(Array(16).fill('Bearer psk_a'));
    expect(secrets.size).toBe(1);
  });

  it.each(commands)('with an impossible character ends petstore %s with 4', async (line) => {
    const env = { ...(await answering(200, {})), PETSTORE_API_KEY: 'psk_ä secret' };
    const { code, stdout, stderr } = await runPetstore(line.split(' '), { env, input: '{}\n' });
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toBe('petstore: the API key holds a character that no key has\n');
  });

  it('with an impossible character is not stored', async () => {
    const env = await answering(200, { name: 'Shop' });
    expect((await runPetstore(['login'], { env, input: 'psk_ä\n' })).code).toBe(4);
    expect(storedProfiles()).toEqual({ current: 'home', profiles });
  });
});

describe('a base URL', () => {
  it.each(['http://ann:secret@127.0.0.1:8080/v1', 'http://secret/v1?x=1', 'http://secret/v1#x'])(
    'with more than its path is refused and not shown: %s',
    async (url) => {
      const env = {
        XDG_CONFIG_HOME: folder.path,
        PETSTORE_API_KEY: 'psk_test',
        PETSTORE_BASE_URL: url,
      };
      for (const line of ['pets list', 'mcp', 'login', 'listen']) {
        const run = await runPetstore(line.split(' '), { env, input: 'psk_new\n' });
        expect([run.code, run.stdout]).toEqual([78, '']);
        expect(run.stderr).toContain('the base URL must not have a user, a password');
        expect(run.stderr).not.toContain('secret');
      }
      expect(storedProfiles()).toEqual({ current: 'home', profiles });
    },
  );
});

describe('-o json', () => {
  it.each(['whoami', 'profiles', 'version'])('is --json for %s too', async (name) => {
    const body = { name: 'Shop', plan: 'free', windows: [] };
    const env = { ...(await answering(200, body)), PETSTORE_API_KEY: 'psk_test' };
    const { stdout } = await runPetstore([name, '--json'], { env });
    expect(await runPetstore([name, '-o', 'json'], { env })).toMatchObject({ code: 0, stdout });
    expect((await runPetstore([name, '-o', 'jsn'], { env })).code).toBe(2);
  });
});
