import { describe, expect, it } from 'vitest';
import { operations } from '../../../server/src/operations/operations.ts';
import { bodyChecker } from '../../../server/src/operations/schemas/validator.ts';
import { commands, knownCommands } from '../../src/cli/command-table.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore } from '../support/run-petstore.ts';

async function helpOf(line: string): Promise<string> {
  const { code, stdout, stderr } = await runPetstore(line.split(' '), { env: {} });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe('help', () => {
  it('is the same, however it is asked for', async () => {
    for (const name of ['pets list', 'stock take', 'stock', 'keys']) {
      const shown = await helpOf(`help ${name}`);
      expect(shown).toContain(`Usage: petstore ${name}`);
      for (const line of [`${name} --help`, `${name} -h`, `--help ${name}`, `-h ${name}`]) {
        expect(await helpOf(line)).toBe(shown);
      }
    }
    expect(await helpOf('orders get 5 --json --help')).toContain('Usage: petstore orders get');
  });

  it.each(commands.map((command) => [command.name, command] as const))(
    'of %s says what each option is for',
    (_, { flags }) => {
      expect(flags.filter(({ description }) => description === '')).toEqual([]);
    },
  );

  it.each(['pets create-many', 'stock set-many', 'orders place-many'])(
    'of %s says what each mode does',
    async (name) => {
      expect(await helpOf(`help ${name}`)).toMatch(
        /--mode MODE +`all` \(default\): [^-]* `each`: /,
      );
    },
  );

  it.each([
    ['api', ['api', 'HEAD', '/pets']],
    ['api', ['api', 'GET', '/pets', '/orders']],
    ['stock take', ['stock', 'take']],
    ['profiles', ['profiles', 'use']],
    ['completion', ['completion', 'tcsh']],
  ])('of %s shows the same usage as the error of %j', async (name, args) => {
    const [usage] = (await helpOf(`help ${name}`)).split('\n');
    const { code, stderr } = await runPetstore(args, { env: { PETSTORE_API_KEY: 'psk_test' } });
    const shown = usage!.slice('Usage:'.length);
    expect([code, stderr.replace('too many arguments; ', '')]).toEqual([
      2,
      `petstore: usage:${shown}\n`,
    ]);
  });

  it('gives every option a sentence and the kind of its value', () => {
    for (const { name, options } of knownCommands) {
      for (const [option, { kind, value, description }] of Object.entries(options)) {
        expect(description, `${name} --${option}`).toMatch(/^\S.*\.$/s);
        expect(value === undefined, `${name} --${option}`).toBe(kind === 'switch');
      }
    }
  });

  it('of a group shows an example of its own, and long choices wrap', async () => {
    expect(await helpOf('help webhooks')).toContain('petstore webhooks list\n');
    const lines = (await helpOf('help webhooks create')).split('\n');
    expect(Math.max(...lines.slice(0, -3).map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it('of a group lists all of its commands', async () => {
    expect(await helpOf('help stock')).toMatch(/^ {2}stock take FILE\|- +Set the stock/m);
  });
});

/** The requests of a command, to a service that takes everything. */
async function sentBy(args: string[]): Promise<string[]> {
  const sent: string[] = [];
  const url = await fakeService(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    sent.push(`${req.method} ${req.url} ${body}`.trim());
    if (req.method === 'DELETE') res.writeHead(204).end();
    else res.end(req.method === 'GET' ? '[{}]' : '{}');
  });
  const env = { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: url };
  const { code, stderr } = await runPetstore([...args.slice(0, 1), '--quiet', ...args.slice(1)], {
    env,
  });
  expect([code, stderr]).toEqual([0, '']);
  return sent;
}

describe('the example of a command', () => {
  /** The words of a line, as a shell would split it. */
  function wordsOf(line: string): string[] {
    return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  }

  it.each(commands.map((command) => [command.name, command] as const))(
    'works as it stands: %s',
    async (_, { operation: id, method, name, example }) => {
      const operation = operations.find((each) => each.id === id)!;
      const [program, ...args] = wordsOf(example);
      expect([program, ...args].join(' ')).toMatch(`petstore ${name}`);
      // On a terminal it would be asked for.
      const sent = await sentBy([...args, ...(method === 'DELETE' ? ['--yes'] : [])]);
      expect(sent).toHaveLength(1);
      const [, path = '', body] = /^\w+ \/v1(\S+)(?: (.*))?$/.exec(sent[0]!)!;
      // A deprecated read of one record sends its successor.
      const target = operation.deprecation?.successor.replace(/^GET |\?.*$/g, '');
      const filled = (target ?? operation.path).replaceAll(/\{(\w+)\}/g, (_, param) => {
        return param === 'keyId' ? 'KEY_ID' : String(operation.params?.[param]?.example ?? 1);
      });
      expect(path.split('?')[0]).toBe(filled);
      if (!operation.body) return;
      const check = bodyChecker(operation.bodyToCheck ?? operation.body, false);
      expect(() => check(JSON.parse(body!))).not.toThrow();
      expect(JSON.parse(body!)).not.toEqual({});
    },
  );
});

it('a whole key or its hint stands for its id, and its secret is not sent', async () => {
  const id = '3ZrHIxYjJZft';
  const key = `psk_${id}${'s'.repeat(38)}`;
  const cases: [args: string[], sent: string][] = [
    [['keys', 'list-any', '--id', key], `GET /v1/admin/keys?id=${id}`],
    [['keys', 'list-any', '--id', key.slice(0, 12)], `GET /v1/admin/keys?id=${id.slice(0, 8)}`],
    [['keys', 'revoke-any', key, '--yes'], `DELETE /v1/admin/keys/${id}`],
    [['requests', 'list', '--key-id', key], `GET /v1/requests?keyId=${id}`],
    [['pets', 'list', '--name', key], `GET /v1/pets?name=${key}`],
  ];
  for (const [args, sent] of cases) expect(await sentBy(args)).toEqual([sent]);
});

describe('what looks like an option', () => {
  it('is the value of the option before it', async () => {
    expect(await sentBy(['pets', 'list', '--name', '-h'])).toEqual(['GET /v1/pets?name=-h']);
    expect(await sentBy(['pets', 'list', '--name', '--help'])).toEqual([
      'GET /v1/pets?name=--help',
    ]);
  });

  it('is a word after --, where a command keeps what it always sends', async () => {
    expect(await sentBy(['orders', 'complete', '--', '5'])).toEqual([
      'PATCH /v1/store/orders/5 {"complete":true}',
    ]);
    expect(await sentBy(['orders', 'complete', '--', '-h'])).toEqual([
      'PATCH /v1/store/orders/-h {"complete":true}',
    ]);
  });
});
