// A change says what it did in one line on standard error, and a question names the thing that it is about.

import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { operationCommands } from '../../src/cli/commands.ts';
import { doneText } from '../../src/cli/operation/done.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore, startPetstore } from '../support/run-petstore.ts';
import { installPetstore, onTerminal } from '../support/terminal.ts';

const folder = temporaryFolder();
let app: TestApp;
let env: Record<string, string>;

beforeAll(async () => {
  installPetstore(folder.path);
  app = await testApp({ engine: 'sqlite' });
  env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  await app.call('POST', '/v1/categories', { body: { name: 'Fish' } });
});

const petstore = (...args: string[]) => runPetstore(args, { env });

async function newPet(name: string, quantity = 5): Promise<number> {
  const { body } = await app.call('POST', '/v1/pets', { body: { name, categoryId: 1 } });
  await app.call('PATCH', `/v1/inventory/${body.id}`, { body: { quantity } });
  return body.id;
}

async function newOrder(petId: number, quantity: number): Promise<number> {
  return (await app.call('POST', '/v1/store/orders', { body: { petId, quantity } })).body.id;
}

describe('a change says what it did', () => {
  it.each([
    ['categories create --name Birds', /^Category Birds \(\d+\) created\.$/],
    ['pets create --name Polly --category-id 1', /^Pet Polly \(\d+\) created\.$/],
    ['keys create --name CI --scopes read', /^Key CI \(\w+\) created; it is shown only now\.$/],
    ['workspaces set --low-stock-at 3', /^Workspace .+ updated\.$/],
    [
      'pets create-many --pets [{"name":"A","categoryId":1},{"name":"B","categoryId":99}] --mode each',
      /^1 pet created, 1 refused\.$/,
    ],
  ])('petstore %s', async (line, said) => {
    const { code, stderr } = await petstore(...line.split(' '));
    expect([code, stderr.trimEnd()]).toEqual([0, expect.stringMatching(said)]);
  });

  it('an order that is placed, completed or cancelled says how many units it took or released', async () => {
    const pet = await newPet('Guppy');
    const placed = await petstore('orders', 'place', '--pet-id', String(pet), '--quantity', '2');
    const [, first] = /^Order (\d+) placed; 2 units reserved\.\n$/.exec(placed.stderr)!;
    const completed = await petstore('orders', 'complete', first!);
    expect(completed.stderr).toBe(`Order ${first} complete; 2 units sold.\n`);
    const second = await newOrder(pet, 2);
    const cancelled = await petstore('orders', 'cancel', String(second), '--yes');
    expect(cancelled.stderr).toBe(`Order ${second} cancelled; 2 units released.\n`);
    const third = await newOrder(pet, 1);
    const one = await petstore('orders', 'cancel', String(third), '--yes');
    expect(one.stderr).toBe(`Order ${third} cancelled; 1 unit released.\n`);
  });

  it('a change of stock says what is there now', async () => {
    const pet = String(await newPet('Tetra', 5));
    expect(
      (await petstore('stock', 'adjust', pet, '--delta', '-2', '--reason', 'Sold')).stderr,
    ).toBe(`Stock of pet ${pet} changed from 5 to 3.\n`);
    expect((await petstore('stock', 'set', pet, '--quantity', '9')).stderr).toBe(
      `Pet ${pet} has 9 units, 9 available.\n`,
    );
  });

  it('a delete names what is gone', async () => {
    const pet = String(await newPet('Molly', 0));
    expect((await petstore('pets', 'delete', pet, '--yes')).stderr).toBe(
      `Pet Molly (${pet}) deleted.\n`,
    );
  });

  it('a dry run says that nothing was changed', async () => {
    const pet = String(await newPet('Betta'));
    const { stderr } = await petstore('orders', 'place', '--pet-id', pet, '--dry-run');
    expect(stderr).toBe('Dry run: it would be done; nothing was changed.\n');
  });

  it('a repeated command says that an earlier request did it', async () => {
    const pet = String(await newPet('Koi'));
    const place = ['orders', 'place', '--pet-id', pet, '--idempotency-key', 'cart-9'];
    await petstore(...place);
    expect((await petstore(...place)).stderr).toMatch(/reserved, by an earlier request with this/);
  });

  it.each(['-q', '--json'])(
    '%s says nothing, and costs no request to find it out',
    async (flag) => {
      const order = await newOrder(await newPet('Danio'), 2);
      const cancel = ['orders', 'cancel', String(order), '--yes', flag, '--verbose'];
      const { code, stderr } = await petstore(...cancel);
      expect(code).toBe(0);
      expect(stderr.match(/^petstore: \w+ /gm)).toEqual(['petstore: DELETE ']);
      expect(stderr).not.toContain('cancelled');
    },
  );

  it('a key that may not read deletes without the name', async () => {
    const body = { name: 'writer', scopes: ['write'] };
    const { key } = (await app.call('POST', '/v1/keys', { body })).body;
    const pet = String(await newPet('Loach', 0));
    const { code, stderr } = await runPetstore(['pets', 'delete', pet, '--yes'], {
      env: { ...env, PETSTORE_API_KEY: key },
    });
    expect([code, stderr]).toEqual([0, `Pet ${pet} deleted.\n`]);
  });

  it('every command that changes something has words of its own', () => {
    for (const command of operationCommands.filter(({ isWrite }) => isWrite)) {
      const data = {
        id: 1,
        name: 'Rex',
        workspace: {},
        petId: 1,
        created: 1,
        changed: 1,
        placed: 1,
      };
      const facts = { words: ['1'], data, before: undefined, status: 200 };
      const text = doneText({ command, ...facts, isReplay: false, isDryRun: false });
      expect(text, command.operation).not.toContain('Done:');
      expect(text).toMatch(/^[A-Z0-9]/);
    }
  });
});

describe('on a terminal, a question names the thing', () => {
  const asking = (line: string) =>
    onTerminal(`petstore ${line}`, {
      env: { ...env, PATH: `${folder.path}:${process.env.PATH}`, XDG_CONFIG_HOME: folder.path },
    });

  it('and an answer of no leaves it', async () => {
    const pet = await newPet('Guppy two', 0);
    const session = asking(`pets delete ${pet}`);
    await session.sees(`Delete the pet Guppy two (${pet})? [y/N] `);
    session.type('n\n');
    expect((await session.ended).code).toBe(1);
    expect((await app.call('GET', `/v1/pets?id=${pet}`)).body).toHaveLength(1);
  });

  it('orders by their units, and an answer of yes says what was done', async () => {
    const pet = await newPet('Cory');
    const order = await newOrder(pet, 3);
    const session = asking(`orders cancel ${order}`);
    await session.sees(`Cancel the order ${order} (3 units of pet ${pet})? [y/N] `);
    session.type('y\n');
    const { code, screen } = await session.ended;
    expect(code).toBe(0);
    expect(screen).toContain(`Order ${order} cancelled; 3 units released.`);
  });

  it('categories, keys and webhooks by their names', async () => {
    const { id } = (
      await app.call('POST', '/v1/keys', { body: { name: 'Till', scopes: ['read'] } })
    ).body;
    const session = asking(`categories delete 1; petstore keys revoke ${id}`);
    await session.sees('Delete the category Fish (1)? [y/N] ');
    session.type('n\n');
    await session.sees(`Revoke the key Till (${id})? [y/N] `);
    session.type('n\n');
    await session.ended;
  });
});

describe('a change that was done and not answered', () => {
  /** Passes requests on to the service, but not its responses to writes: the connection is lost, or stays silent. */
  async function behindLoss({ isHanging = false } = {}) {
    let done = 0;
    const url = await fakeService(async (req, res) => {
      const { method } = req;
      const headers = { ...req.headers, connection: 'close' } as never;
      const body = (await text(req)) || null;
      const response = await fetch(`${app.address}${req.url}`, { method: method!, headers, body });
      if (method === 'GET') return void res.end(await response.text());
      done += 1;
      if (!isHanging) res.destroy();
    });
    return {
      env: { ...env, PETSTORE_BASE_URL: url },
      done: () => done,
    };
  }
  const unknown =
    /petstore: whether it was done is unknown: run it again with (--idempotency-key \S+), and it is done once\n$/;

  it.each([
    ['orders place --pet Discus --quantity 2', 1],
    ['orders place --line Discus=1 --line Oscar=1', 2],
  ])('is done once by what the error of `%s` says', async (line, orders) => {
    const lost = await behindLoss();
    const ids = [await newPet('Discus'), await newPet('Oscar')];
    const place = line.split(' ');
    const failed = await runPetstore([...place, '--no-retry'], { env: lost.env });
    expect([failed.code, failed.stdout]).toEqual([6, '']);
    const [, option = ''] = unknown.exec(failed.stderr) ?? [];
    const again = await petstore(...place, ...option.split(' '));
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining(' placed')]);
    const { body } = await app.call('GET', '/v1/store/orders?complete=false&limit=100');
    const placed = body.filter(({ petId }: { petId: number }) => ids.includes(petId));
    expect(placed).toHaveLength(orders);
    for (const { id } of placed) await app.call('DELETE', `/v1/store/orders/${id}`);
    for (const id of ids) await app.call('PATCH', `/v1/inventory/${id}`, { body: { quantity: 0 } });
    for (const id of ids) await app.call('DELETE', `/v1/pets/${id}`);
  });

  it('or answered with 500 is the same', async () => {
    const url = await fakeService((_, res) => {
      res.writeHead(500).end('{"code":"internal_error","message":"It failed.","status":500}');
    });
    const create = 'categories create --name Rays --no-retry'.split(' ');
    const { code, stderr } = await runPetstore(create, { env: { ...env, PETSTORE_BASE_URL: url } });
    expect([code, stderr]).toEqual([6, expect.stringContaining('--idempotency-key ')]);
  });

  it('has the key in the error under --json', async () => {
    const { env: lost } = await behindLoss();
    const create = ['pets', 'create', '--name', 'Koi', '--category-id', '1', '--json'];
    const own = ['--idempotency-key', 'koi-1', '--no-retry'];
    const { stderr } = await runPetstore([...create, ...own], { env: lost });
    expect(JSON.parse(stderr)).toMatchObject({ code: 'unreachable', idempotencyKey: 'koi-1' });
  });

  it('is repeated after Ctrl-C in the same way', async () => {
    const lost = await behindLoss({ isHanging: true });
    const create = 'pets create --name Arowana --category-id 1'.split(' ');
    const running = startPetstore(create, { env: lost.env });
    await expect.poll(lost.done).toBe(1);
    running.interrupt();
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([130, expect.stringMatching(unknown)]);
  });

  it('may be looked up where the command takes no key', async () => {
    const { env: lost } = await behindLoss();
    const post = ['api', 'post', 'categories', '-f', 'name=Eels', '--no-retry'];
    const { code, stderr } = await runPetstore(post, { env: lost });
    expect(code).toBe(6);
    expect(stderr).toContain('whether it was done is unknown: look before you run it again\n');
  });

  it('names the lines of a stock-take', async () => {
    const { env: lost } = await behindLoss();
    const id = await newPet('Pleco');
    const input = `petId,delta,reason\n${id},2,Delivery\n`;
    const run = { env: lost, input };
    const failed = await runPetstore(['stock', 'take', '-', '--no-retry'], run);
    const tried = await runPetstore(['stock', 'take', '-', '--no-retry', '--dry-run'], run);
    expect([failed.code, tried.code]).toEqual([6, 6]);
    const said = 'line 2 was sent and not answered; whether it was applied is unknown';
    expect(failed.stderr).toContain(`petstore: ${said}\n`);
    expect(tried.stderr).not.toContain('unknown');
  });

  it.each([
    ['a dry run', 'pets create --name Tetra --category-id 1 --dry-run', false],
    ['a service that is not there', 'pets create --name Tetra --category-id 1', true],
  ])('is nothing of %s', async (_, line, isAway) => {
    const lost = await behindLoss();
    const away = { ...env, PETSTORE_BASE_URL: 'http://127.0.0.1:1' };
    const run = { env: isAway ? away : lost.env };
    const { code, stderr } = await runPetstore([...line.split(' '), '--no-retry'], run);
    expect([code, stderr]).toEqual([6, expect.not.stringContaining('unknown')]);
  });
});
