// Wrong usage is refused before anything is sent or changed.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore } from '../support/run-petstore.ts';

const folder = temporaryFolder();

/** A service that takes everything, and what it was sent. */
async function recordingService() {
  const sent: string[] = [];
  const service = await fakeService(({ method, url }, res) => {
    sent.push(`${method} ${url}`);
    res.end('{}');
  });
  const env = {
    XDG_CONFIG_HOME: folder.path,
    PETSTORE_API_KEY: 'psk_test',
    PETSTORE_BASE_URL: service,
  };
  return { sent, env };
}

describe('an output format that does not exist', () => {
  it.each([
    ['orders place --pet-id 1', ''],
    ['keys create --name CI --scopes read', ''],
    ['pets delete 1 --yes', ''],
    ['stock take -', 'petId,quantity\n1,5\n'],
    ['login', 'psk_test'],
    ['logout', ''],
  ])('is refused before `%s` changes anything', async (line, input) => {
    const { sent, env } = await recordingService();
    const { code, stderr } = await runPetstore([...line.split(' '), '-o', 'jsn'], { env, input });
    expect([code, sent]).toEqual([2, []]);
    expect(stderr).toContain('-o must be one of table, json');
  });
});

describe('a word too many', () => {
  it.each(['login psk_x', 'logout work', 'whoami me', 'listen order.*', 'mcp pets', 'version all'])(
    'is refused: petstore %s',
    async (line) => {
      const { sent, env } = await recordingService();
      const { code, stdout, stderr } = await runPetstore(line.split(' '), { env });
      expect([code, stdout, sent]).toEqual([2, '', []]);
      expect(stderr).toContain(`usage: petstore ${line.split(' ')[0]}`);
    },
  );

  it('does not log out of another profile than the one that was meant', async () => {
    const { env } = await recordingService();
    const file = `${folder.path}/petstore/config.json`;
    const profiles = { home: { apiKey: 'psk_home' }, work: { apiKey: 'psk_work' } };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ current: 'home', profiles }), { mode: 0o600 });
    expect((await runPetstore(['logout', 'work'], { env })).code).toBe(2);
    const other = await runPetstore(['logout', '--profile', 'shop'], { env });
    expect([other.code, other.stderr]).toEqual([
      78,
      'petstore: there is no profile shop; the profiles are: home, work\n',
    ]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ current: 'home', profiles });
  });
});

describe('JSON that is broken', () => {
  it.each([
    ['{"name": Rex}', 'line 1, column 10'],
    ['{\n  "name": "Rex",\n  "categoryId": one,\n  "status": "available"\n}', 'line 3, column 17'],
    ['{\n  "name": [1,\n  ]\n}', 'line 3, column 3'],
    ['{"name":\n"Rex",}', 'line 2 column 7'],
    ['{"name":\n"Rex"', 'line 2 column 6'],
    ['{"name":\n"Re', 'line 2 column 4'],
    ['', 'line 1, column 1'],
    ['@nothing', 'line 1, column 1'],
  ])('is refused with its place: %j', async (input, place) => {
    const { sent, env } = await recordingService();
    const args = ['pets', 'create', '--category-id', '1', '--data', '-'];
    const { code, stderr } = await runPetstore(args, { env, input });
    expect([code, sent]).toEqual([2, []]);
    expect(stderr).toMatch(/^petstore: --data is not valid JSON: .*\n$/);
    expect(stderr).toContain(`(${place})`);
  });
});

it('an update of nothing is refused, except as --data', async () => {
  const { sent, env } = await recordingService();
  const { code, stderr } = await runPetstore(['pets', 'update', '1'], { env });
  const message = 'there is nothing to change; for example: petstore pets update 1 --name Rex';
  expect([code, stderr, sent]).toEqual([2, `petstore: ${message}\n`, []]);
  await runPetstore(['pets', 'update', '1', '--data', '{}'], { env });
  expect(sent).toHaveLength(1);
});

it.each([
  ['stock history ..', 'PET_ID must not be ".."'],
  ['orders get .', 'ORDER_ID must not be "."'],
  ['webhooks attempts ..', 'WEBHOOK_ID must not be ".."'],
  ['orders get ', 'ORDER_ID must not be ""'],
])('a word that would change the path is refused: petstore %s', async (line, message) => {
  const { sent, env } = await recordingService();
  const { code, stdout, stderr } = await runPetstore(line.split(' '), { env });
  expect([code, stdout, stderr, sent]).toEqual([2, '', `petstore: ${message}\n`, []]);
});

describe('--data with an array', () => {
  it.each(['pets create --category-id 1 --name Rex', 'orders update 1'])(
    'is refused by petstore %s',
    async (line) => {
      const { sent, env } = await recordingService();
      const { code, stderr } = await runPetstore([...line.split(' '), '--data', '[1]'], { env });
      expect([code, sent]).toEqual([2, []]);
      expect(stderr).toBe('petstore: --data must be a JSON object\n');
    },
  );

  it('is sent by petstore api', async () => {
    const { sent, env } = await recordingService();
    const args = ['api', 'POST', '/pets', '--data', '[1]'];
    expect([(await runPetstore(args, { env })).code, sent]).toEqual([0, ['POST /v1/pets']]);
  });
});

it.each(['--json categories list', '-o json categories list', 'categories --json list'])(
  'an option of every command may stand before it: petstore %s',
  async (line) => {
    const { sent, env } = await recordingService();
    const after = await runPetstore(['categories', 'list', '--json'], { env });
    const before = await runPetstore(line.split(' '), { env });
    expect(before).toEqual(after);
    expect(sent).toEqual(['GET /v1/categories', 'GET /v1/categories']);
  },
);

it.each([
  ['--all', 'petstore pets list --all'],
  ['--base-url', 'petstore login --base-url'],
])('an option of some commands comes after one of them: %s', async (option, example) => {
  const { sent, env } = await recordingService();
  const { code, stderr } = await runPetstore([option, 'pets', 'list'], { env });
  expect([code, sent]).toEqual([2, []]);
  expect(stderr).toContain(`${option} comes after its command, as in ${example}\n`);
});

it.each([
  ['--profile', '--profile needs a value'],
  ['-V', 'unknown option --V'],
  ['--profil shop pets list', 'unknown option --profil; did you mean --profile?'],
  ['pets list one', 'too many arguments; usage: petstore pets list [options]'],
  ['pets get', 'too few arguments; usage: petstore pets get ID [options]'],
  ['login psk_x', 'too many arguments; usage: petstore login [options]'],
])('`petstore %s` says what is wrong with it', async (line, message) => {
  const { env } = await recordingService();
  const { code, stdout, stderr } = await runPetstore(line.split(' '), { env });
  expect([code, stdout, stderr]).toEqual([2, '', `petstore: ${message}\n`]);
});

it.each([
  ['orders place --line 1=1 --line 2=1', ''],
  ['pets import -', 'name,categoryId\nRex,1\n'],
  ['stock take -', 'petId,quantity\n1,5\n'],
  ['stock count -', 'petId,quantity\n1,5\n'],
  ['orders pick-list', ''],
])('a wrong name in --fields is refused before `%s` changes anything', async (line, input) => {
  const { sent, env } = await recordingService();
  const { code, stderr } = await runPetstore([...line.split(' '), '--fields', 'x'], { env, input });
  expect([code, sent]).toEqual([2, []]);
  expect(stderr).toContain('--fields: there is no field x;');
});

it('a wrong name in --fields is refused, and nothing is sent', async () => {
  const { sent, env } = await recordingService();
  const deleted = await runPetstore(['categories', 'list', '--fields', 'id,nme'], { env });
  expect([deleted.code, sent]).toEqual([2, []]);
  expect(deleted.stderr).toBe('petstore: --fields: there is no field nme; did you mean name?\n');
});

it.each(['--version', 'version'])('petstore %s prints the version', async (word) => {
  const { code, stdout } = await runPetstore([word], { env: {} });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
});

it('the client alone says where the commands of the server are', async () => {
  const { code, stderr } = await runPetstore(['server', 'migrate'], { env: {} });
  expect([code, stderr]).toEqual([2, expect.stringContaining('in the package petstore')]);
});

it('a file with the mark that editors on Windows begin with is JSON', async () => {
  const { sent, env } = await recordingService();
  const file = `${folder.path}/pet.json`;
  writeFileSync(file, '\uFEFF{"name":"Rex","categoryId":1}');
  const { code } = await runPetstore(['pets', 'create', '--data', `@${file}`], { env });
  expect([code, sent]).toEqual([0, ['POST /v1/pets']]);
});

it.each([
  ['orders place --pet-id 1 --idempotency-key', 'Bestellung-€'],
  ['orders place --pet-id 1 --idempotency-key', 'cart\n1'],
  ['orders update 1 --quantity 2 --if-match', '"ä"'],
])('a value that no header can carry is refused: petstore %s %j', async (line, value) => {
  const { sent, env } = await recordingService();
  const args = [...line.split(' '), value];
  const { code, stdout, stderr } = await runPetstore(args, { env });
  const flag = line.split(' ').at(-1);
  expect([code, stdout, sent]).toEqual([2, '', []]);
  expect(stderr).toBe(`petstore: ${flag} must have ASCII characters only\n`);
});

it('a body is refused where a request takes none: petstore api GET --data', async () => {
  const { sent, env } = await recordingService();
  const { code, stderr } = await runPetstore(['api', 'GET', '/pets', '--data', '{}'], { env });
  expect([code, stderr, sent]).toEqual([2, 'petstore: GET takes no --data\n', []]);
});

it.each([
  ['orders place --pet-id 1 --idempotency-key a --idempotency-key b', 'idempotency-key'],
  ['orders update 1 --if-match "1" --if-match "2"', 'if-match'],
  ['orders place --data {"petId":1} --data {"petId":2}', 'data'],
  ['orders place --pet-id 1 --expires-in 1h --expires-in 2h', 'expires-in'],
  ['orders place --pet-id 1 --pet-id 2', 'pet-id'],
  ['pets list -o csv --output tsv', 'output'],
  ['pets list --fields id --fields name', 'fields'],
  ['api POST /pets --data {} --data []', 'data'],
  ['stock take - --mode all --mode each', 'mode'],
  ['logout --profile home --profile work', 'profile'],
])('an option that has one value is refused twice: petstore %s', async (line, name) => {
  const { sent, env } = await recordingService();
  const input = 'petId,quantity\n1,5\n';
  const { code, stdout, stderr } = await runPetstore(line.split(' '), { env, input });
  expect([code, stdout, sent]).toEqual([2, '', []]);
  expect(stderr).toBe(`petstore: --${name} must not be given more than once\n`);
});

it.each([
  ['pets list --id 1 --id 2', 'GET /v1/pets?id=1&id=2'],
  ['orders update 1 --clear ship-date --clear expires-at', 'PATCH /v1/store/orders/1'],
])(
  'an option that has several values is taken as often as it is given: petstore %s',
  async (line, request) => {
    const { sent, env } = await recordingService();
    await runPetstore(line.split(' '), { env });
    expect(sent).toEqual([request]);
  },
);

it('a duration that is too long for a date is refused', async () => {
  const { sent, env } = await recordingService();
  const args = ['orders', 'place', '--pet-id', '1', '--expires-in', '999999999d'];
  const { code, stderr } = await runPetstore(args, { env });
  expect([code, sent]).toEqual([2, []]);
  expect(stderr).toContain('--expires-in must be');
});

it.each([
  ['key delete 1', 'keys revoke'],
  ['orders delete 1', 'orders cancel'],
  ['order lsit', 'orders list'],
  ['pets remove 1', 'pets delete'],
  ['stok list', 'stock list'],
  ['webhook add', 'webhooks create'],
  ['order', 'orders'],
])('petstore %s suggests a command of the noun that was meant: %s', async (line, near) => {
  const { code, stderr } = await runPetstore(line.split(' '), { env: {} });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`did you mean \`petstore ${near}\``)]);
});

it('a verb that no noun has is not replaced by that of another noun', async () => {
  const { code, stderr } = await runPetstore(['plan', 'delete'], { env: {} });
  expect([code, stderr]).toEqual([
    2,
    'petstore: there is no command plan delete; petstore help plan lists those there are\n',
  ]);
});

it.each([
  ['orders place --pet-id 1 --quantity', '9'.repeat(400)],
  ['orders place --data', '{"petId":1,"quantity":1e999}'],
])('a number that JSON cannot say is refused by its name: %s', async (line, value) => {
  const { sent, env } = await recordingService();
  const { code, stderr } = await runPetstore([...line.split(' '), value], { env });
  const said = 'petstore: quantity must not be Infinity. (invalid_request)\n';
  expect([code, stderr, sent]).toEqual([1, said, []]);
});
